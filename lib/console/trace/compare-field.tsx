import { useSignal } from "@preact/signals";
import { bindText, focusOnMount, handleSubmit } from "../parts/form-bindings.ts";
import { updateQuery } from "../route.ts";

/** Field for the id or the address of another trace, which is then shown beside this one. */
export const CompareField = ({ onClose }: { readonly onClose: () => void }) => {
  const id = useSignal("");
  return (
    <form
      class="tools"
      onSubmit={handleSubmit(() => {
        // An address of a trace contains its id.
        const other = id.value.trim().split("?")[0]?.split("/").at(-1) ?? "";
        if (other === "") return;
        onClose();
        updateQuery({ beside: other, span: null });
      })}
    >
      <input
        {...bindText(id)}
        ref={focusOnMount}
        aria-label="Id or link of another trace"
        placeholder="Id or link of a trace"
      />
      <button type="submit">Compare</button>
      <button type="button" class="quiet" onClick={onClose}>
        Cancel
      </button>
    </form>
  );
};

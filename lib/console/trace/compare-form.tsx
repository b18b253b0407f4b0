import { useSignal } from "@preact/signals";
import { bindText, focusOnMount, handleSubmit } from "../parts/form-bindings.ts";
import { updateQuery } from "../route.ts";

/** Button that opens a field for the id of another trace, which is then shown beside this one; with one, a button that hides it. */
export const CompareForm = ({ otherId }: { readonly otherId: string | null }) => {
  const [isOpen, id] = [useSignal(false), useSignal("")];
  if (otherId !== null)
    return (
      <button type="button" onClick={() => updateQuery({ beside: null, span: null })}>
        Close the comparison
      </button>
    );
  if (!isOpen.value)
    return (
      <button type="button" class="quiet" onClick={() => (isOpen.value = true)}>
        Compare with …
      </button>
    );
  return (
    <form
      class="tools"
      onSubmit={handleSubmit(() => {
        // An address of a trace contains its id.
        const other = id.value.trim().split("?")[0]?.split("/").at(-1) ?? "";
        if (other === "") return;
        isOpen.value = false;
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
      <button type="button" class="quiet" onClick={() => (isOpen.value = false)}>
        Cancel
      </button>
    </form>
  );
};

import { useSignal } from "@preact/signals";
import { lazyPart } from "../parts/lazy.tsx";
import { updateQuery } from "../route.ts";

const CompareField = lazyPart(async () => (await import("./compare-field.tsx")).CompareField);

/** Button that opens a field for the id of another trace, which is then shown beside this one; with one, a button that hides it. */
export const CompareForm = ({ otherId }: { readonly otherId: string | null }) => {
  const isOpen = useSignal(false);
  if (otherId !== null)
    return (
      <button type="button" onClick={() => updateQuery({ beside: null, span: null })}>
        Close the comparison
      </button>
    );
  if (isOpen.value) return <CompareField onClose={() => (isOpen.value = false)} />;
  return (
    <button type="button" class="quiet" onClick={() => (isOpen.value = true)}>
      Compare with …
    </button>
  );
};

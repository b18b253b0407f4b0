import { useSignal } from "@preact/signals";
import { lazyPart } from "../parts/lazy.tsx";
import type { AddFormProps } from "./add-form.tsx";

const LazyForm = lazyPart(async () => (await import("./add-form.tsx")).AddForm);

/** Button that opens a form which adds traces or spans to a dataset. */
export const AddToDataset = ({ sources }: Pick<AddFormProps, "sources">) => {
  const isOpen = useSignal(false);
  if (isOpen.value) return <LazyForm sources={sources} onClose={() => (isOpen.value = false)} />;
  return (
    <button type="button" class="writes" onClick={() => (isOpen.value = true)}>
      Add to dataset …
    </button>
  );
};

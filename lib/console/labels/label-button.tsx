import { useSignal } from "@preact/signals";
import { lazyPart } from "../parts/lazy.tsx";
import type { SetDialogProps } from "./set-dialog.tsx";

const LazyDialog = lazyPart(async () => (await import("./set-dialog.tsx")).SetDialog);

/** Button that opens a dialog which makes a label set. */
export const LabelButton = (traces: Pick<SetDialogProps, "ids" | "fixed">) => {
  const isOpen = useSignal(false);
  return (
    <>
      <button type="button" class="writes" onClick={() => (isOpen.value = true)}>
        Label …
      </button>
      {isOpen.value && <LazyDialog {...traces} onClose={() => (isOpen.value = false)} />}
    </>
  );
};

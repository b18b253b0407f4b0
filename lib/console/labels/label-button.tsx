import { useSignal } from "@preact/signals";
import { lazyPart } from "../parts/lazy.tsx";
import type { SetDialogProps } from "./set-dialog.tsx";

const LazyDialog = lazyPart(async () => (await import("./set-dialog.tsx")).SetDialog);

/** Fewest traces of a set. */
const minTraces = 20;

/** Button that opens a dialog which makes a label set. */
export const LabelButton = (traces: Pick<SetDialogProps, "ids" | "fixed">) => {
  const isOpen = useSignal(false);
  const isSmall = traces.ids !== undefined && traces.ids.length < minTraces;
  return (
    <>
      <button type="button" class="writes" disabled={isSmall} onClick={() => (isOpen.value = true)}>
        {isSmall ? `Label: a set needs ${minTraces} traces` : "Label …"}
      </button>
      {isOpen.value && <LazyDialog {...traces} onClose={() => (isOpen.value = false)} />}
    </>
  );
};

import { useSignal } from "@preact/signals";

/** A button that puts a text into the clipboard, and says that it did. */
export const Copy = ({ text, children }: { readonly text: string; readonly children: string }) => {
  const said = useSignal(children);
  const copy = async (): Promise<void> => {
    try {
      await navigator.clipboard.writeText(text);
      said.value = "Copied";
    } catch {
      said.value = "Not allowed here";
    }
    setTimeout(() => {
      said.value = children;
    }, 1_500);
  };
  return (
    <button type="button" class="quiet" onClick={() => void copy()}>
      <span aria-live="polite">{said}</span>
    </button>
  );
};

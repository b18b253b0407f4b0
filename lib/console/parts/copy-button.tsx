import { useSignal } from "@preact/signals";

/** Button that copies a text to the clipboard and confirms it for 1.5 seconds. @param text a text, or a function that makes a long one. */
export const CopyButton = ({
  text,
  children,
}: {
  readonly text: string | (() => string);
  readonly children: string;
}) => {
  const label = useSignal(children);
  const copy = async (): Promise<void> => {
    try {
      await navigator.clipboard.writeText(typeof text === "string" ? text : text());
      label.value = "Copied";
    } catch {
      label.value = "Copy failed";
    }
    setTimeout(() => {
      label.value = children;
    }, 1_500);
  };
  return (
    <button type="button" class="quiet" onClick={() => void copy()}>
      <span aria-live="polite">{label}</span>
    </button>
  );
};

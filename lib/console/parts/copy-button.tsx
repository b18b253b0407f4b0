import { useSignal } from "@preact/signals";
import { Check, type IconNode } from "lucide";
import { Icon } from "../display/icon.tsx";

/** Button that copies a text to the clipboard and confirms it for 1.5 seconds. @param text a text, or a function that makes a long one. */
export const CopyButton = ({
  text,
  icon,
  children,
}: {
  readonly text: string | (() => string);
  /** Shown in place of the text, which is the name of the button. */
  readonly icon?: IconNode;
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
    <button type="button" class="quiet" title={icon && children} onClick={() => void copy()}>
      {icon !== undefined && <Icon node={label.value === "Copied" ? Check : icon} />}
      <span class={icon && "unseen"} aria-live="polite">
        {label}
      </span>
    </button>
  );
};

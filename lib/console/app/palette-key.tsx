import { useSignal } from "@preact/signals";
import { useLayoutEffect } from "preact/hooks";
import { lazyPart } from "../parts/lazy.tsx";

const Palette = lazyPart(async () => (await import("./palette.tsx")).Palette);

/**
 * Opens the palette by Ctrl-K or Cmd-K, in fields too, unless another dialog is open.
 * Each press is a palette of its own: a dialog says that it has closed later than it closes, perhaps after the next press.
 */
export const PaletteKey = ({ pages }: { readonly pages: readonly (readonly [string, string])[] }) => {
  const openedAt = useSignal<number | null>(null);
  useLayoutEffect(() => {
    const onKeyDown = (event: KeyboardEvent): void => {
      if (event.key !== "k" || !(event.ctrlKey || event.metaKey) || document.querySelector("dialog[open]")) return;
      event.preventDefault();
      openedAt.value = event.timeStamp;
    };
    addEventListener("keydown", onKeyDown);
    return () => removeEventListener("keydown", onKeyDown);
  }, []);
  const key = openedAt.value;
  const close = (): void => {
    if (openedAt.value === key) openedAt.value = null;
  };
  return key === null ? null : <Palette key={key} pages={pages} onClose={close} />;
};

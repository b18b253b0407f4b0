import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { lazyPart } from "../parts/lazy.tsx";

const Palette = lazyPart(async () => (await import("./palette.tsx")).Palette);

/** Opens the palette by Ctrl-K or Cmd-K, in fields too, unless another dialog is open. */
export const PaletteKey = ({ pages }: { readonly pages: readonly (readonly [string, string])[] }) => {
  const isOpen = useSignal(false);
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent): void => {
      if (event.key !== "k" || !(event.ctrlKey || event.metaKey) || document.querySelector("dialog[open]")) return;
      event.preventDefault();
      isOpen.value = true;
    };
    addEventListener("keydown", onKeyDown);
    return () => removeEventListener("keydown", onKeyDown);
  }, []);
  return isOpen.value ? <Palette pages={pages} onClose={() => (isOpen.value = false)} /> : null;
};

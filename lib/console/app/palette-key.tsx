import { useSignal } from "@preact/signals";
import { useLayoutEffect, useRef } from "preact/hooks";
import { lazyPart } from "../parts/lazy.tsx";

const Palette = lazyPart(async () => (await import("./palette.tsx")).Palette);

/** Milliseconds in which the palette's code is awaited; what is typed later is the page's again. */
const maxEarlyMs = 3_000;

/**
 * Opens the palette by Ctrl-K or Cmd-K, in fields too, unless another dialog is open.
 * Each press is a palette of its own: a dialog says that it has closed later than it closes, perhaps after the next press.
 */
export const PaletteKey = ({ pages }: { readonly pages: readonly (readonly [string, string])[] }) => {
  const openedAt = useSignal<number | null>(null);
  /** What is typed until the palette's code is loaded: else letters would be shortcuts of the page. */
  const early = useRef("");
  useLayoutEffect(() => {
    const onKeyDown = (event: KeyboardEvent): void => {
      if (document.querySelector("dialog[open]")) return;
      const isCommand = event.ctrlKey || event.metaKey;
      const isOpening = event.key === "k" && isCommand;
      const isEarly = event.timeStamp < (openedAt.value ?? -Infinity) + maxEarlyMs && event.key.length === 1;
      if (!isOpening && (isCommand || !isEarly)) return;
      event.preventDefault();
      event.stopImmediatePropagation();
      early.current = isOpening ? "" : early.current + event.key;
      if (isOpening) openedAt.value = event.timeStamp;
    };
    addEventListener("keydown", onKeyDown, true);
    return () => removeEventListener("keydown", onKeyDown, true);
  }, []);
  const key = openedAt.value;
  const close = (): void => {
    if (openedAt.value === key) openedAt.value = null;
  };
  return key === null ? null : <Palette key={key} pages={pages} early={early} onClose={close} />;
};

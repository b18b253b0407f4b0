import { effect, signal } from "@preact/signals";
import { useLayoutEffect, useRef } from "preact/hooks";
import { canWrite } from "./sign-in.ts";

const isTextField = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement &&
  (target.isContentEditable || /^(?:INPUT|TEXTAREA|SELECT)$/u.test(target.tagName)) &&
  !(target instanceof HTMLInputElement && /^(?:checkbox|radio)$/u.test(target.type));

/** Shortcuts by `KeyboardEvent.key`: handler, description for the help, and true if a read-only key must not use it. */
export type Shortcuts = Readonly<Record<string, readonly [handler: () => unknown, description: string, writes?: true]>>;

/** Shortcuts of all mounted components, in the order of mounting. */
export const activeShortcuts = signal<readonly { readonly current: Shortcuts }[]>([]);

const storageKey = "assay.letters";

/** True if single-character shortcuts are enabled. Users of speech input turn them off (WCAG 2.1.4). */
export const areLettersEnabled = signal(localStorage.getItem(storageKey) !== "off");
effect(() => {
  localStorage.setItem(storageKey, areLettersEnabled.value ? "on" : "off");
  document.documentElement.classList.toggle("without-letters", !areLettersEnabled.value);
});

/** Handles shortcuts while the component is mounted, no dialog is open and no text field has the focus. */
export const useShortcuts = (shortcuts: Shortcuts): void => {
  const latestShortcuts = useRef(shortcuts);
  latestShortcuts.current = shortcuts;
  // A layout effect, so that shortcuts work with the first paint.
  useLayoutEffect(() => {
    activeShortcuts.value = [...activeShortcuts.peek(), latestShortcuts];
    const onKeyDown = (event: KeyboardEvent): void => {
      if (event.ctrlKey || event.metaKey || event.altKey || isTextField(event.target)) return;
      if (event.key.length === 1 && !areLettersEnabled.value) return;
      if (document.querySelector("dialog[open]") !== null) return;
      // Enter on a focused link or button keeps its native meaning.
      if (
        event.key === "Enter" &&
        event.target instanceof HTMLElement &&
        /^(?:A|BUTTON|SUMMARY)$/u.test(event.target.tagName)
      )
        return;
      const [handler, , writes] = latestShortcuts.current[event.key] ?? [];
      if (handler === undefined || (writes && !canWrite.value)) return;
      event.preventDefault();
      handler();
    };
    addEventListener("keydown", onKeyDown);
    return () => {
      removeEventListener("keydown", onKeyDown);
      activeShortcuts.value = activeShortcuts.peek().filter((each) => each !== latestShortcuts);
    };
  }, []);
};

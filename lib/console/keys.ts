import { effect, signal } from "@preact/signals";
import { useLayoutEffect, useRef } from "preact/hooks";
import { mayWrite } from "./sign-in.ts";

const isWriting = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement &&
  (target.isContentEditable || /^(?:INPUT|TEXTAREA|SELECT)$/u.test(target.tagName)) &&
  !(target instanceof HTMLInputElement && target.type === "checkbox");

/** Keys by their names in events, each with what it does, that in words, and whether it changes something. */
export type Keys = Readonly<Record<string, readonly [act: () => unknown, does: string, writes?: true]>>;

/** The keys of what is on the page, the newest part last. */
export const keysOnPage = signal<readonly { readonly current: Keys }[]>([]);

const kept = "assay.letters";

/** Whether keys of one character do anything: who speaks to a page, or types with a tremor, turns them off. */
export const lettersWork = signal(localStorage.getItem(kept) !== "off");
effect(() => {
  localStorage.setItem(kept, lettersWork.value ? "on" : "off");
  document.documentElement.classList.toggle("without-letters", !lettersWork.value);
});

/** Keys of a page, while nothing is being written and no dialog is open. */
export const useKeys = (keys: Keys): void => {
  const last = useRef(keys);
  last.current = keys;
  // At once: a key may be pressed as soon as the page is seen.
  useLayoutEffect(() => {
    keysOnPage.value = [...keysOnPage.peek(), last];
    const press = (event: KeyboardEvent): void => {
      if (event.ctrlKey || event.metaKey || event.altKey || isWriting(event.target)) return;
      if (event.key.length === 1 && !lettersWork.value) return;
      if (document.querySelector("dialog[open]") !== null) return;
      // A link or button that is focused does its own.
      if (
        event.key === "Enter" &&
        event.target instanceof HTMLElement &&
        /^(?:A|BUTTON|SUMMARY)$/u.test(event.target.tagName)
      )
        return;
      const [act, , writes] = last.current[event.key] ?? [];
      if (act === undefined || (writes && !mayWrite.value)) return;
      event.preventDefault();
      act();
    };
    addEventListener("keydown", press);
    return () => {
      removeEventListener("keydown", press);
      keysOnPage.value = keysOnPage.peek().filter((each) => each !== last);
    };
  }, []);
};

import { useEffect, useRef } from "preact/hooks";

const isWriting = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement &&
  (target.isContentEditable || /^(?:INPUT|TEXTAREA|SELECT)$/u.test(target.tagName)) &&
  !(target instanceof HTMLInputElement && target.type === "checkbox");

/** Keys of a page, while nothing is being written and no dialog is open. */
export const useKeys = (keys: Readonly<Record<string, () => unknown>>): void => {
  const last = useRef(keys);
  last.current = keys;
  useEffect(() => {
    const press = (event: KeyboardEvent): void => {
      if (event.ctrlKey || event.metaKey || event.altKey || isWriting(event.target)) return;
      if (document.querySelector("dialog[open]") !== null) return;
      // A link or button that is focused does its own.
      if (
        event.key === "Enter" &&
        event.target instanceof HTMLElement &&
        /^(?:A|BUTTON|SUMMARY)$/u.test(event.target.tagName)
      )
        return;
      const act = last.current[event.key];
      if (act === undefined) return;
      event.preventDefault();
      act();
    };
    addEventListener("keydown", press);
    return () => removeEventListener("keydown", press);
  }, []);
};

import { useEffect } from "preact/hooks";

/** Scrolls the element with an id into view whenever the id changes; null for none. */
export const useScrollIntoView = (id: string | null): void => {
  useEffect(() => {
    if (id !== null) document.getElementById(id)?.scrollIntoView({ block: "nearest" });
  }, [id]);
};

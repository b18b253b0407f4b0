import { useEffect } from "preact/hooks";

/** Brings an element into view when it becomes the one that is meant. */
export const useInView = (id: string | null): void => {
  useEffect(() => {
    if (id !== null) document.getElementById(id)?.scrollIntoView({ block: "nearest" });
  }, [id]);
};

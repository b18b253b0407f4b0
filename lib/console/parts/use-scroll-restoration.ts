import { useLayoutEffect, useRef } from "preact/hooks";
import { hash } from "../route.ts";

/** Vertical scroll offset of each page by URL fragment, in pixels. */
const scrollTops = new Map<string, number>();

/** Restores the scroll offset of the current URL fragment once the content is loaded; the top on the first visit. */
export const useScrollRestoration = (isLoaded: boolean): void => {
  const address = useRef("");
  address.current = hash.peek();
  useLayoutEffect(() => {
    if (!isLoaded) return undefined;
    scrollTo(0, scrollTops.get(address.current) ?? 0);
    return () => void scrollTops.set(address.current, scrollY);
  }, [isLoaded]);
};

import { useEffect, useRef } from "preact/hooks";

/** Looks again, at a pace, while something goes on and the page is visible. @param pace milliseconds. */
export const useLive = (look: () => void, goesOn: boolean, pace: number): void => {
  const last = useRef(look);
  last.current = look;
  useEffect(() => {
    if (!goesOn) return undefined;
    const timer = setInterval(() => {
      if (!document.hidden) last.current();
    }, pace);
    return () => clearInterval(timer);
  }, [goesOn, pace]);
};

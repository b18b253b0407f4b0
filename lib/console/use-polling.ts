import { useEffect, useRef } from "preact/hooks";

/** Calls `refresh` periodically while `isActive` and the page is visible. @param interval milliseconds. */
export const usePolling = (refresh: () => void, isActive: boolean, interval: number): void => {
  const latestRefresh = useRef(refresh);
  latestRefresh.current = refresh;
  useEffect(() => {
    if (!isActive) return undefined;
    const timer = setInterval(() => {
      if (!document.hidden) latestRefresh.current();
    }, interval);
    return () => clearInterval(timer);
  }, [isActive, interval]);
};

import { useEffect, useRef } from "preact/hooks";

/** Distance below the viewport, in pixels, at which more items are loaded. */
const loadAheadPixels = 600;

/** Button that loads more items of the list above it, on click or when it is scrolled near. @param children label. */
export const LoadMore = ({ load, children }: { readonly load: () => void; readonly children: string }) => {
  const button = useRef<HTMLButtonElement>(null);
  const latestLoad = useRef(load);
  latestLoad.current = load;
  useEffect(() => {
    const observer = new IntersectionObserver(
      (entries) => entries.some(({ isIntersecting }) => isIntersecting) && latestLoad.current(),
      {
        rootMargin: `${loadAheadPixels}px`,
      },
    );
    if (button.current !== null) observer.observe(button.current);
    return () => observer.disconnect();
  }, [children]);
  return (
    <button type="button" ref={button} onClick={load}>
      {children}
    </button>
  );
};

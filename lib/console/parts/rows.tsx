import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";

interface RowsProps {
  readonly count: number;
  /** Pixels of each row: all have the same. */
  readonly height: number;
  readonly row: (index: number) => ComponentChildren;
  /** Rows to have in view; where it changes the list follows. */
  readonly inView?: number | null;
  readonly class?: string;
  readonly label: string;
  readonly role: "treegrid" | "grid";
}

/** Rows drawn beyond what is in view, on either side. */
const beyond = 8;

/** Browsers end an element's height near 33 million pixels. */
const tallest = 30_000_000;

/** A list of any length of which only what is in view is drawn. */
export const Rows = ({ count, height, row, inView = null, class: name = "", label, role }: RowsProps) => {
  const box = useRef<HTMLDivElement>(null);
  const seen = useSignal({ top: 0, height: 800 });
  const look = (): void => {
    const { current } = box;
    if (current !== null) seen.value = { top: current.scrollTop, height: current.clientHeight };
  };
  useLayoutEffect(() => {
    look();
    const { current } = box;
    if (current === null) return undefined;
    const watch = new ResizeObserver(look);
    watch.observe(current);
    return () => watch.disconnect();
  }, []);
  useLayoutEffect(() => {
    const { current } = box;
    if (current === null || inView === null) return;
    const [top, bottom] = [inView * height, (inView + 1) * height];
    if (top < current.scrollTop) current.scrollTop = top;
    else if (bottom > current.scrollTop + current.clientHeight) current.scrollTop = bottom - current.clientHeight;
  }, [inView]);
  const total = Math.min(tallest, count * height);
  const first = Math.max(0, Math.min(count, Math.floor(seen.value.top / height) - beyond));
  const last = Math.min(count, Math.ceil((seen.value.top + seen.value.height) / height) + beyond);
  return (
    <div
      class={`rows ${name}`}
      ref={box}
      onScroll={look}
      role={role}
      aria-label={label}
      aria-rowcount={count}
      tabIndex={0}
    >
      <div role="presentation" style={{ height: `${total}px`, position: "relative" }}>
        <div role="presentation" style={{ transform: `translateY(${first * height}px)` }}>
          {Array.from({ length: Math.max(0, last - first) }, (_, at) => row(first + at))}
        </div>
      </div>
    </div>
  );
};

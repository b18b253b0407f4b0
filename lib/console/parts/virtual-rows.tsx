import { useSignal } from "@preact/signals";
import type { ComponentChildren, RefObject } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import { hash } from "../route.ts";

export interface VirtualRowsProps {
  readonly count: number;
  /** Height of each row, in pixels. */
  readonly height: number;
  readonly row: (index: number) => ComponentChildren;
  /** Index of a row that is scrolled into view whenever it changes. */
  readonly rowInView?: number | null;
  readonly class?: string;
  readonly label: string;
  readonly role: "treegrid" | "grid";
  /** Sticky header row with the column names. */
  readonly head?: ComponentChildren;
  /** Element id of the active row, for `aria-activedescendant`. */
  readonly active?: string | undefined;
  /** Ref that gets the scrolling element. */
  readonly scroller?: RefObject<HTMLDivElement | null>;
  /** Called with the rows in view, as fractions of all rows, after each scroll and resize. */
  readonly onViewChange?: (from: number, to: number) => void;
}

/** Rows rendered above and below the viewport. */
const overscan = 8;

/** Height of the header row, in pixels. */
const headHeight = 28;

/** Max height of the list in pixels; browsers cap an element at about 33 million. */
const maxHeight = 30_000_000;

/** Scroll offset of each list by URL fragment and label, restored when the user comes back. */
const scrollTops = new Map<string, number>();

/** Virtualized list: renders only the rows in view. */
export const VirtualRows = ({
  count,
  height,
  row,
  rowInView = null,
  class: name = "",
  label,
  role,
  head,
  active,
  scroller,
  onViewChange,
}: VirtualRowsProps) => {
  const headOffset = head === undefined ? 0 : headHeight;
  const ownScroller = useRef<HTMLDivElement>(null);
  const box = scroller ?? ownScroller;
  const viewport = useSignal({ top: 0, height: 800 });
  const storageKey = `${hash.peek()} ${label}`;
  const updateViewport = (): void => {
    const { current } = box;
    if (current === null) return;
    scrollTops.set(storageKey, current.scrollTop);
    viewport.value = { top: current.scrollTop, height: current.clientHeight };
    const full = Math.max(1, current.scrollHeight);
    onViewChange?.(current.scrollTop / full, (current.scrollTop + current.clientHeight) / full);
  };
  useLayoutEffect(() => {
    const { current } = box;
    if (current === null || rowInView === null) return;
    const [top, bottom] = [rowInView * height, (rowInView + 1) * height];
    if (top < current.scrollTop) current.scrollTop = top;
    else if (bottom + headOffset > current.scrollTop + current.clientHeight)
      current.scrollTop = bottom + headOffset - current.clientHeight;
  }, [rowInView]);
  useLayoutEffect(() => {
    const scrollTop = scrollTops.get(storageKey);
    if (box.current !== null && scrollTop !== undefined) box.current.scrollTop = scrollTop;
  }, []);
  useLayoutEffect(() => {
    const { current } = box;
    if (current === null) return undefined;
    updateViewport();
    const observer = new ResizeObserver(updateViewport);
    observer.observe(current);
    return () => observer.disconnect();
  }, [count]);
  const total = Math.min(maxHeight, count * height);
  const first = Math.max(0, Math.min(count, Math.floor(viewport.value.top / height) - overscan));
  const last = Math.min(count, Math.ceil((viewport.value.top + viewport.value.height) / height) + overscan);
  return (
    <div
      class={`rows ${name}`}
      ref={box}
      style={{ "--content": `${total + headOffset + 2}px` }}
      onScroll={updateViewport}
      role={role}
      aria-label={label}
      aria-rowcount={count}
      aria-activedescendant={active}
      tabIndex={0}
    >
      {head !== undefined && (
        <div class="row-head" role="row" style={{ height: `${headHeight}px` }}>
          {head}
        </div>
      )}
      <div role="presentation" style={{ height: `${total}px`, position: "relative" }}>
        <div role="presentation" style={{ transform: `translateY(${first * height}px)` }}>
          {Array.from({ length: Math.max(0, last - first) }, (_, at) => row(first + at))}
        </div>
      </div>
    </div>
  );
};

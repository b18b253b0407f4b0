import type { Signal } from "@preact/signals";
import type { RefObject } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import { theme } from "../theme.ts";
import { hasFailed, type SpanNode } from "./span-tree.ts";
import type { SpanBar, ZoomRange } from "./zoom.ts";

/** Returns start and width of a span's bar, as fractions of the lane. */
export type BarLayout = (node: SpanNode) => SpanBar;

/** Height of the minimap, in pixels. */
const height = 44;

const draw = (canvas: HTMLCanvasElement, nodes: readonly SpanNode[], barOf: BarLayout) => {
  const context = canvas.getContext("2d");
  if (context === null) return;
  const scale = devicePixelRatio;
  const width = canvas.clientWidth;
  [canvas.width, canvas.height] = [width * scale, height * scale];
  context.scale(scale, scale);
  const style = getComputedStyle(canvas);
  const step = height / Math.max(1, nodes.length);
  const line = Math.max(1, Math.min(4, step - 0.5));
  // Failed spans are drawn last, so that no other bar covers them.
  for (const isBad of [false, true]) {
    context.fillStyle = isBad ? style.caretColor : style.color;
    for (const [index, node] of nodes.entries()) {
      if (hasFailed(node.span) !== isBad) continue;
      const { start, width: share } = barOf(node);
      context.fillRect(start * width, index * step, Math.max(isBad ? 2 : 0.75, share * width), isBad ? line + 1 : line);
    }
  }
};

/** Overview of all spans on a canvas, with the part in view marked; a click or drag scrolls the rows there. */
export const Minimap = ({
  nodes,
  barOf,
  view,
  zoom,
  scroller,
}: {
  readonly nodes: readonly SpanNode[];
  readonly barOf: BarLayout;
  /** First and last row in view, as fractions of all rows. */
  readonly view: Signal<readonly [from: number, to: number]>;
  readonly zoom: ZoomRange;
  readonly scroller: RefObject<HTMLDivElement | null>;
}) => {
  const canvas = useRef<HTMLCanvasElement>(null);
  useLayoutEffect(() => {
    const { current } = canvas;
    if (current === null) return undefined;
    const paint = (): void => draw(current, nodes, barOf);
    paint();
    const observer = new ResizeObserver(paint);
    observer.observe(current);
    const scheme = matchMedia("(prefers-color-scheme: dark)");
    scheme.addEventListener("change", paint);
    return () => {
      observer.disconnect();
      scheme.removeEventListener("change", paint);
    };
  }, [nodes, barOf, theme.value]);
  const scrollToPointer = ({
    currentTarget,
    clientY,
  }: {
    readonly currentTarget: HTMLElement;
    readonly clientY: number;
  }): void => {
    const box = scroller.current;
    const { top } = currentTarget.getBoundingClientRect();
    if (box !== null) box.scrollTop = ((clientY - top) / height) * box.scrollHeight - box.clientHeight / 2;
  };
  const [from, to] = view.value;
  return (
    // Hidden from assistive technology: the rows below have the same content.
    <div
      class="minimap"
      aria-hidden="true"
      onPointerDown={(event) => {
        event.currentTarget.setPointerCapture(event.pointerId);
        scrollToPointer(event);
      }}
      onPointerMove={(event) => event.buttons === 1 && scrollToPointer(event)}
    >
      <canvas ref={canvas} style={{ height: `${height}px` }} />
      <span
        style={{
          top: `${from * 100}%`,
          height: `${Math.max(6, (to - from) * 100)}%`,
          left: `${zoom.from * 100}%`,
          width: `${(zoom.to - zoom.from) * 100}%`,
        }}
      />
    </div>
  );
};

import type { Signal } from "@preact/signals";
import type { RefObject } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import type { Node } from "./tree.ts";

/** Where a bar begins and how wide it is, as shares of the whole. */
export type Place = (node: Node) => { readonly left: number; readonly width: number };

/** Pixels. */
const height = 44;

const draw = (canvas: HTMLCanvasElement, nodes: readonly Node[], place: Place, hasFailed: (node: Node) => boolean) => {
  const context = canvas.getContext("2d");
  if (context === null) return;
  const scale = devicePixelRatio;
  const width = canvas.clientWidth;
  [canvas.width, canvas.height] = [width * scale, height * scale];
  context.scale(scale, scale);
  const style = getComputedStyle(canvas);
  const step = height / Math.max(1, nodes.length);
  const line = Math.max(1, Math.min(4, step - 0.5));
  // Failures last: nothing covers them.
  for (const isBad of [false, true]) {
    context.fillStyle = isBad ? style.caretColor : style.color;
    for (const [index, node] of nodes.entries()) {
      if (hasFailed(node) !== isBad) continue;
      const { left, width: share } = place(node);
      context.fillRect(left * width, index * step, Math.max(isBad ? 2 : 0.75, share * width), isBad ? line + 1 : line);
    }
  }
};

/** The whole trace at once, and which part of it is in view; a press or a drag goes there. */
export const Minimap = ({
  nodes,
  place,
  hasFailed,
  view,
  scroller,
}: {
  readonly nodes: readonly Node[];
  readonly place: Place;
  readonly hasFailed: (node: Node) => boolean;
  /** Rows in view, as shares of all. */
  readonly view: Signal<readonly [from: number, to: number]>;
  readonly scroller: RefObject<HTMLDivElement | null>;
}) => {
  const canvas = useRef<HTMLCanvasElement>(null);
  useLayoutEffect(() => {
    const { current } = canvas;
    if (current === null) return undefined;
    const paint = (): void => draw(current, nodes, place, hasFailed);
    paint();
    const watch = new ResizeObserver(paint);
    watch.observe(current);
    const scheme = matchMedia("(prefers-color-scheme: dark)");
    scheme.addEventListener("change", paint);
    return () => {
      watch.disconnect();
      scheme.removeEventListener("change", paint);
    };
  }, [nodes, place]);
  const go = ({ currentTarget, clientY }: { readonly currentTarget: HTMLElement; readonly clientY: number }): void => {
    const box = scroller.current;
    const { top } = currentTarget.getBoundingClientRect();
    if (box !== null) box.scrollTop = ((clientY - top) / height) * box.scrollHeight - box.clientHeight / 2;
  };
  const [from, to] = view.value;
  return (
    // Everything in it is in the rows below, for those who do not point at things.
    <div
      class="minimap"
      aria-hidden="true"
      onPointerDown={(event) => {
        event.currentTarget.setPointerCapture(event.pointerId);
        go(event);
      }}
      onPointerMove={(event) => event.buttons === 1 && go(event)}
    >
      <canvas ref={canvas} style={{ height: `${height}px` }} />
      <span style={{ top: `${from * 100}%`, height: `${Math.max(6, (to - from) * 100)}%` }} />
    </div>
  );
};

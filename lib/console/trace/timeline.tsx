import { useSignal } from "@preact/signals";
import { useCallback, useMemo, useRef } from "preact/hooks";
import { useKeys } from "../keys.ts";
import { place as where, refine } from "../place.ts";
import type { Node } from "./tree.ts";
import { count, duration, plural } from "../words.ts";
import { Minimap } from "./minimap.tsx";
import { Rows } from "../parts/rows.tsx";
import { SpanRow } from "./span-row.tsx";

interface TimelineProps {
  readonly nodes: readonly Node[];
  readonly chosen: string | null;
  readonly choose: (span: string | null) => void;
}

const height = 26;

/** Share of the lane: what is shorter is drawn so. */
const thinnest = 0.004;

/** Fewer rows are seen at once anyway. */
const mapped = 30;

const hasFailed = ({ span }: Node): boolean => span.status === "ERROR" || span.error !== null;

/** Nodes without those below a folded one. */
const unfolded = (nodes: readonly Node[], folded: ReadonlySet<string>): readonly Node[] => {
  const shown: Node[] = [];
  for (let at = 0; at < nodes.length; at += 1) {
    const node = nodes[at];
    if (node === undefined) break;
    shown.push(node);
    if (folded.has(node.span.span_id)) at += node.below;
  }
  return shown;
};

/** All spans as bars below each other, by time or by order, of which only those in view are drawn. */
export const Timeline = ({ nodes, chosen, choose }: TimelineProps) => {
  const { find = "", failed, scale } = where.value.query;
  const [failedOnly, bySequence] = [failed === "only", scale === "order"];
  const folded = useSignal<ReadonlySet<string>>(new Set());
  const view = useSignal<readonly [number, number]>([0, 1]);
  const [scroller, field] = [useRef<HTMLDivElement>(null), useRef<HTMLInputElement>(null)];
  const end = useMemo(() => nodes.reduce((most, { to }) => Math.max(most, to), 1), [nodes]);
  const places = useMemo(() => new Map(nodes.map((node, at) => [node, at])), [nodes]);
  const sought = find.trim().toLowerCase();
  const failures = useMemo(() => nodes.filter(hasFailed).length, [nodes]);
  const shown = useMemo(() => {
    if (sought === "" && !failedOnly) return unfolded(nodes, folded.value);
    return nodes.filter(
      (node) =>
        (!failedOnly || hasFailed(node)) &&
        (sought === "" || `${node.span.name} ${node.span.model ?? ""}`.toLowerCase().includes(sought)),
    );
  }, [nodes, sought, failedOnly, folded.value]);
  const at = useMemo(
    () => (chosen === null ? -1 : shown.findIndex(({ span }) => span.span_id === chosen)),
    [shown, chosen],
  );
  const move = (to: number): void => {
    const node = shown[Math.max(0, Math.min(shown.length - 1, to))];
    if (node !== undefined) choose(node.span.span_id);
  };
  const fold = (id: string, isFolded: boolean): void => {
    const next = new Set(folded.value);
    if (isFolded) next.add(id);
    else next.delete(id);
    folded.value = next;
  };
  const current = shown[at];
  useKeys({
    j: [() => move(at + 1), "next span"],
    k: [() => move(at - 1), "span before"],
    ArrowDown: [() => move(at + 1), "next span"],
    ArrowUp: [() => move(at - 1), "span before"],
    Home: [() => move(0), "first span"],
    End: [() => move(shown.length - 1), "last span"],
    ArrowLeft: [() => current !== undefined && fold(current.span.span_id, true), "fold"],
    ArrowRight: [() => current !== undefined && fold(current.span.span_id, false), "unfold"],
    f: [() => refine({ failed: failedOnly ? null : "only" }), "failed only"],
    s: [() => refine({ scale: bySequence ? null : "order" }), "time or sequence"],
    "/": [() => field.current?.focus(), "find"],
  });
  const place = useCallback(
    (node: Node): { readonly left: number; readonly width: number } =>
      bySequence
        ? { left: (places.get(node) ?? 0) / nodes.length, width: Math.max(thinnest, (node.below + 1) / nodes.length) }
        : { left: node.from / end, width: Math.max(thinnest, (node.to - node.from) / end) },
    [bySequence, places, end],
  );
  const tell = useCallback((from: number, to: number) => {
    view.value = [from, to];
  }, []);
  return (
    <div class="timeline">
      <div class="tools">
        <input
          ref={field}
          type="search"
          placeholder="Find a span"
          aria-label="Find a span"
          value={find}
          onInput={({ currentTarget: { value } }) => refine({ find: value })}
          onKeyDown={({ key, currentTarget }) => {
            if (key === "Enter" || key === "Escape") currentTarget.blur();
          }}
        />
        <label class="choice">
          <input
            type="checkbox"
            checked={failedOnly}
            onChange={({ currentTarget: { checked } }) => refine({ failed: checked ? "only" : null })}
          />
          failed only ({count(failures)})
        </label>
        <label class="choice">
          <input
            type="checkbox"
            checked={bySequence}
            onChange={({ currentTarget: { checked } }) => refine({ scale: checked ? "order" : null })}
          />
          in order, not by time
        </label>
        <span class="faint" aria-live="polite">
          {plural(shown.length, "span")}, {duration(end)}
        </span>
      </div>
      {shown.length > mapped && (
        <Minimap nodes={shown} place={place} hasFailed={hasFailed} view={view} scroller={scroller} />
      )}
      <Rows
        count={shown.length}
        height={height}
        label="Spans"
        role="treegrid"
        inView={at < 0 ? null : at}
        active={current === undefined ? undefined : `span-${current.span.span_id}`}
        scroller={scroller}
        seen={tell}
        head={
          <>
            <span role="columnheader">Span</span>
            <span role="columnheader" class="axis">
              <span>{bySequence ? "first" : "0"}</span>
              <span>{bySequence ? "" : duration(end / 2)}</span>
              <span>{bySequence ? "last" : duration(end)}</span>
            </span>
            <span role="columnheader" class="number">
              Duration
            </span>
          </>
        }
        row={(index) => {
          const node = shown[index];
          if (node === undefined) return null;
          const { span } = node;
          return (
            <SpanRow
              key={span.span_id}
              node={node}
              index={index}
              isOn={index === at}
              isFolded={folded.value.has(span.span_id)}
              hasFailed={hasFailed(node)}
              {...place(node)}
              choose={() => choose(span.span_id)}
              fold={(isFolded) => fold(span.span_id, isFolded)}
            />
          );
        }}
      />
      {shown.length === 0 && <p class="faint">No span fits.</p>}
    </div>
  );
};

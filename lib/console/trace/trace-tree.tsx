import { useSignal, type Signal } from "@preact/signals";
import type { VNode } from "preact";
import { useCallback, useMemo, useRef } from "preact/hooks";
import { useShortcuts } from "../shortcuts.ts";
import { route, updateQuery } from "../route.ts";
import { hasFailed, type SpanNode } from "./span-tree.ts";
import { count, duration, plural } from "../format.ts";
import { Minimap } from "./minimap.tsx";
import { Checkbox } from "../parts/controls.tsx";
import { VirtualRows } from "../parts/virtual-rows.tsx";
import { SpanRow } from "./span-row.tsx";
import {
  axisDuration,
  barInWindow,
  panBy,
  wholeWindow,
  windowAround,
  zoomBy,
  type SpanBar,
  type ZoomRange,
} from "./zoom.ts";
import { ZoomControls } from "./zoom-controls.tsx";

interface TraceTreeProps {
  readonly nodes: readonly SpanNode[];
  /** Ids of the spans that the search has found; null without a search. */
  readonly matches: readonly string[] | null;
  readonly selectedId: string | null;
  readonly onSelect: (span: string | null) => void;
}

/** Height of a row, in pixels. */
const rowHeight = 26;

/** Row count above which the minimap is shown: fewer rows fit the screen. */
const minimapThreshold = 30;

/** Omits the descendants of collapsed nodes. */
const withoutCollapsed = (nodes: readonly SpanNode[], collapsedIds: ReadonlySet<string>): readonly SpanNode[] => {
  const visibleNodes: SpanNode[] = [];
  for (let at = 0; at < nodes.length; at += 1) {
    const node = nodes[at];
    if (node === undefined) break;
    visibleNodes.push(node);
    if (collapsedIds.has(node.span.span_id)) at += node.descendantCount;
  }
  return visibleNodes;
};

/** Visible nodes of a trace: those that match, or else all but the descendants of collapsed ones. */
const useVisibleNodes = (nodes: readonly SpanNode[], matches: readonly string[] | null, failedOnly: boolean) => {
  const collapsedIds = useSignal<ReadonlySet<string>>(new Set());
  const visibleNodes = useMemo(() => {
    if (matches === null && !failedOnly) return withoutCollapsed(nodes, collapsedIds.value);
    const matchingIds = matches === null ? null : new Set(matches);
    return nodes.filter(
      (node) => (!failedOnly || hasFailed(node.span)) && (matchingIds === null || matchingIds.has(node.span.span_id)),
    );
  }, [nodes, matches, failedOnly, collapsedIds.value]);
  const setCollapsed = (id: string, isCollapsed: boolean): void => {
    const next = new Set(collapsedIds.value);
    if (isCollapsed) next.add(id);
    else next.delete(id);
    collapsedIds.value = next;
  };
  return { visibleNodes, collapsedIds, setCollapsed };
};

/** Duration of a trace, and the bar of each node as fractions of the timeline: by time, or by the order of the spans. */
const useBars = (nodes: readonly SpanNode[], isByOrder: boolean) => {
  const end = useMemo(() => nodes.reduce((latest, { to }) => Math.max(latest, to), 1), [nodes]);
  const orderOf = useMemo(() => new Map(nodes.map((node, at) => [node, at])), [nodes]);
  const barOf = useCallback(
    (node: SpanNode): SpanBar =>
      isByOrder
        ? {
            start: (orderOf.get(node) ?? 0) / nodes.length,
            width: (node.descendantCount + 1) / nodes.length,
          }
        : { start: node.from / end, width: (node.to - node.from) / end },
    [isByOrder, orderOf, end],
  );
  return { end, barOf };
};

/** Zooms a timeline with the wheel and the Control key, and pans a zoomed one with a horizontal wheel. */
const turnWheel = (event: WheelEvent, zoom: Signal<ZoomRange>): void => {
  const lane = event.currentTarget instanceof Element ? event.currentTarget.querySelector(".axis") : null;
  if (lane === null) return;
  const { x, width } = lane.getBoundingClientRect();
  if (event.ctrlKey) zoom.value = zoomBy(zoom.value, event.deltaY > 0 ? 1.25 : 0.8, (event.clientX - x) / width);
  else if (zoom.value !== wholeWindow && Math.abs(event.deltaX) > Math.abs(event.deltaY))
    zoom.value = panBy(zoom.value, event.deltaX / width);
  else return;
  event.preventDefault();
};

/** Titles of the columns, with the axis of the timeline's visible part. */
const TimelineHead = ({
  isByOrder,
  end,
  zoom,
}: {
  readonly isByOrder: boolean;
  /** Milliseconds of the whole timeline. */
  readonly end: number;
  readonly zoom: ZoomRange;
}) => {
  const zoomWidth = zoom.to - zoom.from;
  const axisTime = (share: number): string => axisDuration(end * (zoom.from + zoomWidth * share), end * zoomWidth);
  return (
    <>
      <span role="columnheader">Span</span>
      <span role="columnheader" class="axis">
        <span>{isByOrder ? "first" : axisTime(0)}</span>
        <span>{isByOrder ? "" : axisTime(0.5)}</span>
        <span>{isByOrder ? "last" : axisTime(1)}</span>
      </span>
      <span role="columnheader" class="number usage">
        Tokens
      </span>
      <span role="columnheader" class="number usage">
        Cost
      </span>
      <span role="columnheader" class="number">
        Duration
      </span>
    </>
  );
};

/** Timeline view of a trace: a virtualized tree of spans with a bar each, scaled by time or by order. */
export const TraceTree = ({ nodes, matches, selectedId, onSelect }: TraceTreeProps) => {
  const { failed, scale } = route.value.query;
  const [failedOnly, isByOrder] = [failed === "only", scale === "order"];
  const view = useSignal<readonly [number, number]>([0, 1]);
  const zoom = useSignal(wholeWindow);
  const scroller = useRef<HTMLDivElement>(null);
  const { end, barOf } = useBars(nodes, isByOrder);
  const failures = useMemo(() => nodes.filter(({ span }) => hasFailed(span)).length, [nodes]);
  const { visibleNodes, collapsedIds, setCollapsed } = useVisibleNodes(nodes, matches, failedOnly);
  const selectedIndex = useMemo(
    () => (selectedId === null ? -1 : visibleNodes.findIndex(({ span }) => span.span_id === selectedId)),
    [visibleNodes, selectedId],
  );
  const selectAt = (to: number): void => {
    const node = visibleNodes[Math.max(0, Math.min(visibleNodes.length - 1, to))];
    if (node !== undefined) onSelect(node.span.span_id);
  };
  const selectedNode = visibleNodes[selectedIndex];
  useShortcuts({
    j: [() => selectAt(selectedIndex + 1), "next span"],
    k: [() => selectAt(selectedIndex - 1), "previous span"],
    ArrowDown: [() => selectAt(selectedIndex + 1), "next span"],
    ArrowUp: [() => selectAt(selectedIndex - 1), "previous span"],
    Home: [() => selectAt(0), "first span"],
    End: [() => selectAt(visibleNodes.length - 1), "last span"],
    ArrowLeft: [() => selectedNode !== undefined && setCollapsed(selectedNode.span.span_id, true), "collapse"],
    ArrowRight: [() => selectedNode !== undefined && setCollapsed(selectedNode.span.span_id, false), "expand"],
    f: [() => updateQuery({ failed: failedOnly ? null : "only" }), "failed only"],
    s: [() => updateQuery({ scale: isByOrder ? null : "order" }), "by time or by order"],
    "+": [() => (zoom.value = zoomBy(zoom.value, 0.5)), "zoom in"],
    "-": [() => (zoom.value = zoomBy(zoom.value, 2)), "zoom out"],
    "0": [() => (zoom.value = wholeWindow), "whole timeline"],
    z: [() => selectedNode !== undefined && zoomTo(selectedNode), "zoom to the span"],
  });
  const zoomTo = (node: SpanNode): unknown => (zoom.value = windowAround(barOf(node)));
  // A row that is the same object as before is not rendered again: a scroll renders the rows that come into view.
  const rows = useMemo(
    () => new Map<number, VNode>(),
    [visibleNodes, selectedIndex, collapsedIds.value, barOf, zoom.value],
  );
  const rowOf = (index: number): VNode | null => {
    const node = visibleNodes[index];
    if (node === undefined) return null;
    const { span } = node;
    const row = rows.get(index) ?? (
      <SpanRow
        key={span.span_id}
        node={node}
        index={index}
        isSelected={index === selectedIndex}
        isCollapsed={collapsedIds.value.has(span.span_id)}
        hasFailed={hasFailed(span)}
        {...barInWindow(barOf(node), zoom.value)}
        onSelect={() => onSelect(span.span_id)}
        onCollapse={(isCollapsed) => setCollapsed(span.span_id, isCollapsed)}
      />
    );
    rows.set(index, row);
    return row;
  };
  const updateView = useCallback((from: number, to: number) => void (view.value = [from, to]), []);
  return (
    <div class="timeline" onWheel={(event) => turnWheel(event, zoom)}>
      <div class="tools">
        <Checkbox isChecked={failedOnly} onChange={(isChecked) => updateQuery({ failed: isChecked ? "only" : null })}>
          failed only ({count(failures)})
        </Checkbox>
        <Checkbox isChecked={isByOrder} onChange={(isChecked) => updateQuery({ scale: isChecked ? "order" : null })}>
          by order, not time
        </Checkbox>
        <ZoomControls
          zoom={zoom.value}
          onChange={(next) => (zoom.value = next)}
          onZoomToSpan={selectedNode === undefined ? null : () => zoomTo(selectedNode)}
        />
        <span class="faint" aria-live="polite">
          {plural(visibleNodes.length, "span")}, {duration(end)}
        </span>
      </div>
      {visibleNodes.length > minimapThreshold && (
        <Minimap nodes={visibleNodes} barOf={barOf} view={view} zoom={zoom.value} scroller={scroller} />
      )}
      <VirtualRows
        count={visibleNodes.length}
        height={rowHeight}
        label="Spans"
        role="treegrid"
        rowInView={selectedIndex < 0 ? null : selectedIndex}
        active={selectedNode === undefined ? undefined : `span-${selectedNode.span.span_id}`}
        scroller={scroller}
        onViewChange={updateView}
        head={<TimelineHead isByOrder={isByOrder} end={end} zoom={zoom.value} />}
        row={rowOf}
      />
      {visibleNodes.length === 0 && <p class="faint">No matching spans.</p>}
    </div>
  );
};

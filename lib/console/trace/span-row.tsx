import type { SpanNode } from "./span-tree.ts";
import { count, dollars, duration } from "../format.ts";
import { kindWord } from "./kind-word.ts";
import { spanUsageOf } from "./usage.ts";

/** Max indentation, in tree levels. */
const maxIndent = 12;

/** Row of the timeline: a span with indentation, bar, tokens, cost and duration. */
export const SpanRow = ({
  node,
  index,
  isSelected,
  isCollapsed,
  hasFailed,
  start,
  width,
  onSelect,
  onCollapse,
}: {
  readonly node: SpanNode;
  readonly index: number;
  readonly isSelected: boolean;
  readonly isCollapsed: boolean;
  readonly hasFailed: boolean;
  /** Start of the bar, as a fraction of the lane. */
  readonly start: number;
  /** Width of the bar, as a fraction of the lane. */
  readonly width: number;
  readonly onSelect: () => void;
  readonly onCollapse: (isCollapsed: boolean) => void;
}) => {
  const { span, depth, descendantCount } = node;
  const { total, cost } = spanUsageOf(span);
  return (
    <div
      id={`span-${span.span_id}`}
      class={`row span-row${isSelected ? " on" : ""}${hasFailed ? " bad" : ""}`}
      role="row"
      aria-level={depth + 1}
      aria-rowindex={index + 1}
      aria-selected={isSelected}
      {...(descendantCount > 0 ? { "aria-expanded": !isCollapsed } : {})}
      onClick={onSelect}
    >
      <span
        role="gridcell"
        class="span-name"
        style={{ paddingInlineStart: `calc(${Math.min(depth, maxIndent)} * var(--step))` }}
      >
        {descendantCount > 0 ? (
          <button
            type="button"
            class="fold"
            tabIndex={-1}
            aria-label={isCollapsed ? "Expand" : "Collapse"}
            onClick={(event) => {
              event.stopPropagation();
              onCollapse(!isCollapsed);
            }}
          >
            {isCollapsed ? "▸" : "▾"}
          </button>
        ) : (
          <span class="fold" />
        )}
        <span class={`kind ${span.kind.toLowerCase()}`}>{kindWord(span.kind)}</span>
        <span dir="auto">{span.name}</span>
      </span>
      <span role="gridcell" class="lane">
        <span class={`bar ${span.kind.toLowerCase()}`} style={{ left: `${start * 100}%`, width: `${width * 100}%` }} />
      </span>
      <span role="gridcell" class="number usage">
        {total !== null && count(total)}
      </span>
      <span role="gridcell" class="number usage">
        {cost !== null && dollars(cost)}
      </span>
      <span role="gridcell" class="number">
        {hasFailed && <span title="failed">✕ </span>}
        {duration(span.latency_ms)}
      </span>
    </div>
  );
};

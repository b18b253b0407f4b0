import type { TraceListItem } from "../../client/interface.ts";
import { previewText } from "./input-preview.ts";
import { hrefTo, route } from "../route.ts";
import { count, dollars, duration, plural } from "../format.ts";
import { Instant, StatusLabel } from "../parts/labels.tsx";
import { ScoreChips } from "./score-chips.tsx";

/** CSS classes of the column headers, by column name, in order. */
const columns = {
  Selected: "unseen",
  Status: "unseen",
  Trace: "",
  Scores: "wide",
  Duration: "number",
  Tokens: "number wide",
  Cost: "number wide",
  User: "wide",
  When: "number",
} as const;

/** Header row of the trace list. */
export const TraceRowHead = () => (
  <>
    {Object.entries(columns).map(([name, kind]) =>
      kind === "unseen" ? (
        <span role="columnheader">
          <span class={kind}>{name}</span>
        </span>
      ) : (
        <span role="columnheader" class={kind}>
          {name}
        </span>
      ),
    )}
  </>
);

/** Row of the trace list. */
export const TraceRow = ({
  trace,
  index,
  isActive,
  isSelected,
  onSelect,
  onOpen,
}: {
  readonly trace: TraceListItem;
  readonly index: number;
  readonly isActive: boolean;
  readonly isSelected: boolean;
  readonly onSelect: (isRange: boolean) => void;
  readonly onOpen: () => void;
}) => (
  <div
    id={`trace-${trace.trace_id}`}
    class={`row trace-row${isActive ? " on" : ""}`}
    role="row"
    aria-rowindex={index + 1}
    aria-selected={isSelected}
    onClick={({ target, ctrlKey, metaKey }) => {
      // A click anywhere in the row opens the trace, except on the checkbox or for a new tab.
      if (ctrlKey || metaKey || (target instanceof Element && target.closest("input") !== null)) return;
      onOpen();
    }}
  >
    <span role="gridcell" class="box">
      <input
        type="checkbox"
        checked={isSelected}
        onClick={({ shiftKey }) => onSelect(shiftKey)}
        aria-label={`Select ${trace.name}`}
        tabIndex={-1}
      />
    </span>
    <span role="gridcell">
      <StatusLabel status={trace.status} isShort />
    </span>
    <span role="gridcell" class="name" title={plural(trace.span_count, "span")}>
      <span class="line">
        <a
          href={hrefTo("traces", trace.trace_id, route.value.query)}
          tabIndex={-1}
          dir="auto"
          onClick={(event) => {
            if (!event.ctrlKey && !event.metaKey) event.preventDefault();
          }}
        >
          {trace.name}
        </a>
        <span class="tags">
          {trace.tags.slice(0, 2).map((tag) => (
            <span class="tag" dir="auto">
              {tag}
            </span>
          ))}
          {trace.tags.length > 2 && <span class="tag">+{trace.tags.length - 2}</span>}
        </span>
      </span>
      <span class="words-of" dir="auto">
        {previewText(trace.input_preview)}
      </span>
    </span>
    <span role="gridcell" class="wide">
      <ScoreChips scores={trace.scores ?? []} />
    </span>
    <span role="gridcell" class="number">
      {duration(trace.latency_ms)}
    </span>
    <span role="gridcell" class="number wide" title={`${trace.total_tokens} tokens`}>
      {trace.total_tokens === 0 ? "–" : count(trace.total_tokens)}
    </span>
    <span
      role="gridcell"
      class="number wide"
      title={trace.unpriced_tokens > 0 ? `${trace.unpriced_tokens} tokens without a price` : ""}
    >
      {trace.total_cost === 0 ? (trace.unpriced_tokens > 0 ? "?" : "–") : dollars(trace.total_cost)}
    </span>
    <span role="gridcell" class="user wide" dir="auto">
      {trace.user_id ?? ""}
    </span>
    <span role="gridcell" class="number when">
      <Instant at={trace.started_at} />
    </span>
  </div>
);

import { useMemo } from "preact/hooks";
import { dollars, duration, plural } from "../format.ts";
import { ErrorAlert } from "../parts/error-alert.tsx";
import { StatusLabel } from "../parts/labels.tsx";
import { LoadingNote } from "../parts/loading-note.tsx";
import { VirtualRows } from "../parts/virtual-rows.tsx";
import { hrefTo } from "../route.ts";
import { useShortcuts } from "../shortcuts.ts";
import { alignSteps, type StepPair } from "./align.ts";
import { kindWord } from "./kind-word.ts";
import { SpanContent } from "./span-content.tsx";
import { buildSpanTree, hasFailed, type SpanNode } from "./span-tree.ts";
import { useTrace, type LoadedTrace } from "./use-trace.ts";
import { spanUsageOf } from "./usage.ts";

/** Height of a row, in pixels. */
const rowHeight = 44;

const idOf = ({ base, other }: StepPair): string => (base ?? other)?.span.span_id ?? "";

const Step = ({ node }: { readonly node: SpanNode | null }) => {
  if (node === null)
    return (
      <span role="gridcell" class="faint absent">
        –
      </span>
    );
  const { span, depth } = node;
  const { total, cost } = spanUsageOf(span);
  return (
    <span role="gridcell" class="aligned">
      <span class="span-name" style={{ paddingInlineStart: `${Math.min(depth, 8) * 6}px` }}>
        <span class={`kind ${span.kind.toLowerCase()}`}>{kindWord(span.kind)}</span>
        <span dir="auto">{span.name}</span>
      </span>
      <span class="faint">
        {hasFailed(span) && <span class="bad">✕ </span>}
        {duration(span.latency_ms)}
        {total !== null && ` · ${plural(total, "token")}`}
        {cost !== null && ` · ${dollars(cost)}`}
      </span>
    </span>
  );
};

const Totals = ({ loaded: { trace } }: { readonly loaded: LoadedTrace }) => {
  const failedSpans = trace.spans.filter(hasFailed).length;
  return (
    <div class="head">
      <h2 dir="auto">
        <StatusLabel status={trace.status} isShort /> <a href={hrefTo("traces", trace.trace_id)}>{trace.name}</a>
      </h2>
      <p class="facts">
        <span>
          {duration(trace.ended_at === null ? null : Date.parse(trace.ended_at) - Date.parse(trace.started_at))}
        </span>
        <span>{plural(trace.spans.length, "span")}</span>
        {failedSpans > 0 && <span class="bad">✕ {plural(failedSpans, "failed span")}</span>}
        {trace.total_tokens > 0 && <span>{plural(trace.total_tokens, "token")}</span>}
        {trace.total_cost > 0 && <span>{dollars(trace.total_cost)}</span>}
      </p>
    </div>
  );
};

const PairContent = ({
  pair,
  base,
  other,
}: {
  readonly pair: StepPair;
  readonly base: LoadedTrace;
  readonly other: LoadedTrace;
}) => (
  <div class="pair">
    {(
      [
        [pair.base, base],
        [pair.other, other],
      ] as const
    ).map(([node, { trace, hasContent }]) => (
      <section class="span-detail" aria-label={`Step of ${trace.name}`}>
        {node === null ? (
          <p class="faint">This trace has no such step.</p>
        ) : (
          <SpanContent key={node.span.span_id} span={node.span} trace={hasContent ? null : trace.trace_id} />
        )}
      </section>
    ))}
  </div>
);

/** Two traces side by side, their steps aligned by kind and name. */
export const BesideView = ({
  base,
  otherId,
  selectedId,
  onSelect,
}: {
  readonly base: LoadedTrace;
  /** Id of the trace on the right. */
  readonly otherId: string;
  readonly selectedId: string | null;
  readonly onSelect: (span: string) => void;
}) => {
  const { value: other, error, reload } = useTrace(otherId);
  const pairs = useMemo(
    () => (other === null ? [] : alignSteps(buildSpanTree(base.trace.spans), buildSpanTree(other.trace.spans))),
    [base.trace, other?.trace],
  );
  const at = selectedId === null ? -1 : pairs.findIndex((pair) => idOf(pair) === selectedId);
  const selectedPair = pairs[at];
  const selectAt = (index: number): void => {
    const pair = pairs[Math.max(0, Math.min(pairs.length - 1, index))];
    if (pair !== undefined) onSelect(idOf(pair));
  };
  useShortcuts({
    j: [() => selectAt(at + 1), "next step"],
    k: [() => selectAt(at - 1), "previous step"],
    ArrowDown: [() => selectAt(at + 1), "next step"],
    ArrowUp: [() => selectAt(at - 1), "previous step"],
  });
  if (other === null)
    return error === null ? (
      <LoadingNote>Loading the other trace</LoadingNote>
    ) : (
      <ErrorAlert error={error} reload={reload} />
    );
  const alignedCount = pairs.filter((pair) => pair.base !== null && pair.other !== null).length;
  return (
    <section class="beside" aria-label="Two traces">
      <div class="pair">
        <Totals loaded={base} />
        <Totals loaded={other} />
      </div>
      <p class="faint">
        {plural(alignedCount, "step")} in both, {base.trace.spans.length - alignedCount} only on the left,{" "}
        {other.trace.spans.length - alignedCount} only on the right.
      </p>
      <VirtualRows
        count={pairs.length}
        height={rowHeight}
        label="Steps of both traces"
        role="grid"
        rowInView={at < 0 ? null : at}
        active={selectedPair === undefined ? undefined : `pair-${idOf(selectedPair)}`}
        row={(index) => {
          const pair = pairs[index];
          if (pair === undefined) return null;
          const { base: leftNode, other: rightNode } = pair;
          const isOneSided = leftNode === null || rightNode === null;
          return (
            <div
              key={idOf(pair)}
              id={`pair-${idOf(pair)}`}
              class={`row pair-row${index === at ? " on" : ""}${isOneSided ? " one-sided" : ""}`}
              role="row"
              aria-rowindex={index + 1}
              aria-selected={index === at}
              onClick={() => onSelect(idOf(pair))}
            >
              <Step node={leftNode} />
              <Step node={rightNode} />
            </div>
          );
        }}
      />
      {selectedPair !== undefined && <PairContent pair={selectedPair} base={base} other={other} />}
    </section>
  );
};

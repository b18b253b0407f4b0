import type { CountedSpan } from "./counted.ts";
import { computed } from "./differences.ts";
import { bucketOf, timestampOf, type Granularity, type Micros } from "./instant.ts";
import { selected } from "./list.ts";
import { bySize, sorted } from "./order.ts";
import { sessionsOf } from "./sessions.ts";
import { latenciesOf, spansOf, sumOrNull, tokens, usageOf } from "./totals.ts";
import type { ModelTrace } from "./trace.ts";

export type Metric = "volume" | "errors" | "latency" | "cost" | "tokens" | "models";

/** Range of instants: `after` inclusive, `before` exclusive. */
export interface Range {
  readonly after: Micros;
  readonly before: Micros;
}

/** Percentile with linear interpolation between neighbouring ranks; null without numbers. */
const percentile = (numbers: readonly number[], share: number): number | null => {
  const ordered = numbers.toSorted(bySize);
  const rank = (ordered.length - 1) * share;
  const [low, high] = [ordered[Math.floor(rank)], ordered[Math.ceil(rank)]];
  return low === undefined || high === undefined ? null : low + (high - low) * (rank - Math.floor(rank));
};

const mean = (numbers: readonly number[]): number | null => {
  const sum = sumOrNull(numbers);
  return sum === null ? null : sum / numbers.length;
};

/** Returns the start of an instant's bucket. */
type BucketOf = (at: Micros) => Micros;

const buckets = <Item>(items: readonly Item[], at: (item: Item) => Micros, startOf: BucketOf) =>
  [...Map.groupBy(items, (item) => startOf(at(item)))].toSorted(([a], [b]) => bySize(a, b));

const traceFigures = (traces: readonly ModelTrace[], startOf: BucketOf): readonly object[] =>
  buckets(traces, ({ startedAt }) => startedAt, startOf).map(([bucket, group]) => {
    const latencies = latenciesOf(group);
    return {
      bucket: timestampOf(bucket),
      trace_count: group.length,
      error_count: group.filter(({ status }) => status === "ERROR").length,
      avg_latency_ms: computed(mean(latencies)),
      p50_latency_ms: computed(percentile(latencies, 0.5)),
      p90_latency_ms: computed(percentile(latencies, 0.9)),
      p95_latency_ms: computed(percentile(latencies, 0.95)),
      p99_latency_ms: computed(percentile(latencies, 0.99)),
    };
  });

const usageFigures = (spans: readonly CountedSpan[], startOf: BucketOf): readonly object[] =>
  buckets(spans, ({ startedAt }) => startedAt, startOf).map(([bucket, group]) => {
    const usage = usageOf(group);
    return {
      bucket: timestampOf(bucket),
      total_tokens: tokens(usage),
      prompt_tokens: Math.round(usage.prompt),
      completion_tokens: Math.round(usage.completion),
      total_cost: computed(usage.cost),
    };
  });

const modelFigures = (spans: readonly CountedSpan[]): readonly object[] => {
  const groups = [...Map.groupBy(spans, ({ fields }) => fields["model"])].flatMap(([model, group]) =>
    typeof model === "string" ? [{ model, group }] : [],
  );
  return sorted(
    groups,
    "asc",
    // Most calls first, then by name.
    ({ group }) => -group.length,
    ({ model }) => model,
  )
    .slice(0, 10)
    .map(({ model, group }) => ({
      model,
      call_count: group.length,
      total_tokens: tokens(usageOf(group)),
      total_cost: computed(usageOf(group).cost),
    }));
};

/** Trace analytics: figures of traces by the trace's start; tokens, cost and models by the span's start. */
export const traceAnalytics = (
  traces: readonly ModelTrace[],
  metric: Metric,
  granularity: Granularity | "all",
  range: Range,
): readonly object[] => {
  const startOf: BucketOf = (at) => (granularity === "all" ? range.after : bucketOf(at, granularity));
  if (metric === "volume" || metric === "errors" || metric === "latency") {
    return traceFigures(selected(traces, { date_from: range.after, date_to: range.before }), startOf);
  }
  const spans = spansOf(traces).filter(({ startedAt }) => startedAt >= range.after && startedAt < range.before);
  return metric === "models" ? modelFigures(spans) : usageFigures(spans, startOf);
};

/** Session analytics: sessions by their first trace in the range; only traces in the range count. */
export const sessionAnalytics = (
  traces: readonly ModelTrace[],
  granularity: Granularity,
  range: Range,
): readonly object[] => {
  const sessions = sessionsOf(selected(traces, { date_from: range.after, date_to: range.before }));
  return buckets(
    sessions,
    ({ traces }) => traces[0]?.startedAt ?? 0n,
    (at) => bucketOf(at, granularity),
  ).map(([bucket, group]) => ({
    bucket: timestampOf(bucket),
    session_count: group.length,
    avg_traces_per_session: computed(mean(group.map(({ traces }) => traces.length))),
    avg_session_duration_ms: computed(mean(group.flatMap(({ traces }) => sumOrNull(latenciesOf(traces)) ?? []))),
  }));
};

import type {
  ExperimentReply,
  ExperimentSummaryReply,
  MetricComparisonReply,
} from "../../contract/experiments/experiments.ts";
import type { ExperimentScore } from "../../store/experiments/scores.ts";
import { percentile } from "../../domain/analytics/percentile.ts";
import type { Experiment, ExperimentTrace } from "../../domain/experiments/experiment.ts";
import { isComparable, meanOf, type ComparedItem } from "../../domain/experiments/items.ts";
import type { RuleOutcome } from "../../domain/experiments/rules.ts";

/** Items that a comparison names on each side. */
const maxNamed = 50;

export const experimentReply = ({ id, projectId, name, dataset, startedAt }: Experiment): ExperimentReply => ({
  id,
  project_id: projectId,
  name,
  dataset,
  started_at: startedAt,
});

/** @param expected ids of the items of the dataset as the experiment began. */
export const experimentSummary = (
  experiment: Experiment,
  traces: readonly ExperimentTrace[],
  expected: readonly string[],
  scores: readonly ExperimentScore[],
): ExperimentSummaryReply => {
  const latencies = traces.flatMap(({ latencyMilliseconds: each }) => each ?? []).toSorted((a, b) => a - b);
  const latencyAt = (share: number) =>
    latencies.length === 0 ? null : percentile(latencies.length, (rank) => latencies[rank] ?? 0, share);
  const itemIds = new Set(traces.flatMap(({ itemId }) => itemId ?? []));
  return {
    ...experimentReply(experiment),
    trace_count: traces.length,
    running_count: traces.filter(({ hasEnded }) => !hasEnded).length,
    error_count: traces.filter(({ hasFailed }) => hasFailed).length,
    item_count: itemIds.size,
    missing_count: expected.filter((id) => !itemIds.has(id)).length,
    total_cost: traces.reduce((sum, { cost }) => sum + cost, 0),
    total_tokens: traces.reduce((sum, { tokens }) => sum + tokens, 0),
    latency_p50_ms: latencyAt(0.5),
    latency_p95_ms: latencyAt(0.95),
    scores: scores.map((score) => ({ ...score, applicable: true })),
  };
};

const sideReply = ({ traceIds, values }: ComparedItem["baseline"]) => ({
  trace_ids: [...traceIds],
  value: values.length === 0 ? null : meanOf(values),
});

const verdicts = { pass: "not_worse", fail: "worse", cannot_tell: "cannot_tell" } as const;

export const comparisonReply = (
  metric: string,
  items: readonly ComparedItem[],
  { test, items: counts, verdict, reason }: RuleOutcome,
): MetricComparisonReply => {
  const changed = items
    .filter((item) => isComparable(item, ["baseline", "candidate"]))
    .map((item) => ({
      item_id: item.itemId,
      baseline: sideReply(item.baseline),
      candidate: sideReply(item.candidate),
      difference: meanOf(item.candidate.values) - meanOf(item.baseline.values),
    }))
    .toSorted((a, b) => a.difference - b.difference);
  const [regressions, improvements] = [
    changed.filter(({ difference }) => difference < 0),
    changed.filter(({ difference }) => difference > 0).toReversed(),
  ];
  return {
    metric_name: metric,
    mean: test.mean,
    interval: test.interval,
    count: test.count,
    detectable_difference: test.detectable === null ? null : test.detectable - test.limit,
    items: counts,
    reason,
    verdict: verdicts[verdict],
    regression_count: regressions.length,
    improvement_count: improvements.length,
    regressions: regressions.slice(0, maxNamed),
    improvements: improvements.slice(0, maxNamed),
  };
};

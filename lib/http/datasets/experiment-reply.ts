import { mean as meanOf } from "simple-statistics";
import type {
  ExperimentReply,
  ExperimentSummaryReply,
  MeasureComparisonReply,
} from "../../contract/experiments/experiments.ts";
import type { ExperimentScore } from "../../store/experiments/scores.ts";
import { percentile } from "../../domain/analytics/percentile.ts";
import { continuedAt, type Experiment, type ExperimentTrace } from "../../domain/experiments/experiment.ts";
import { isComparable, passOf, type ComparedItem, type ItemTrace } from "../../domain/experiments/items.ts";
import type { RuleOutcome } from "../../domain/experiments/rules.ts";
import { addCosts, addTokensOfTraces } from "../../domain/traces/totals.ts";

/** Items that a comparison names on each side. */
const maxNamed = 50;

export const experimentReply = ({ id, projectId, name, dataset, startedAt }: Experiment): ExperimentReply => ({
  id,
  project_id: projectId,
  name,
  dataset,
  started_at: startedAt,
});

const progressOf = (name: string, traces: readonly ItemTrace[]) => {
  const numbers = traces.flatMap(({ value }) => (value.kind === "value" ? value.value : []));
  return {
    metric_name: name,
    judged_count: traces.filter(({ value }) => value.kind !== "unjudged").length,
    failed_count: traces.filter(({ value }) => value.kind === "unjudged" && value.hasFailed).length,
    mean: numbers.length === 0 ? null : meanOf(numbers),
  };
};

/** What is told of an experiment beside its traces. */
interface ExperimentFacts {
  /** Ids of the items of the dataset as the experiment began. */
  readonly expected: readonly string[];
  /** Values of the traces by metric; null if there are too many. */
  readonly values: ReadonlyMap<string, readonly ItemTrace[]> | null;
  /** Scores of the experiment as a whole. */
  readonly scores: readonly ExperimentScore[];
}

export const experimentSummary = (
  experiment: Experiment,
  traces: readonly ExperimentTrace[],
  { expected, values, scores }: ExperimentFacts,
): ExperimentSummaryReply => {
  const latencies = traces.flatMap(({ latencyMilliseconds: each }) => each ?? []).toSorted((a, b) => a - b);
  const latencyAt = (share: number) =>
    latencies.length === 0 ? null : percentile(latencies.length, (rank) => latencies[rank] ?? 0, share);
  const itemIds = new Set(traces.flatMap(({ itemId }) => itemId ?? []));
  return {
    ...experimentReply(experiment),
    continued_at: continuedAt(traces),
    trace_count: traces.length,
    running_count: traces.filter(({ hasEnded }) => !hasEnded).length,
    error_count: traces.filter(({ hasFailed }) => hasFailed).length,
    item_count: itemIds.size,
    missing_count: expected.filter((id) => !itemIds.has(id)).length,
    total_cost: addCosts(traces.map(({ cost }) => cost)),
    total_tokens: addTokensOfTraces(traces.map(({ tokens }) => tokens)),
    latency_p50_ms: latencyAt(0.5),
    latency_p95_ms: latencyAt(0.95),
    scores: scores.map((score) => ({ ...score, applicable: true })),
    metrics: values === null ? null : Array.from(values, ([name, ofTraces]) => progressOf(name, ofTraces)),
  };
};

const sideReply = (side: ComparedItem["baseline"]) => ({
  trace_ids: [...side.traceIds],
  value: side.values.length === 0 ? null : meanOf(side.values),
  passed: passOf(side),
});

/** Labels of items by their ids. */
export type ItemLabels = ReadonlyMap<string | null, Pick<ExperimentTrace, "itemName" | "input">>;

/** Returns the labels of the items that traces ran. */
export const itemLabels = (...sides: readonly (readonly ExperimentTrace[])[]): ItemLabels =>
  new Map(sides.flat().map((trace) => [trace.itemId, trace]));

/** Returns the comparable items that changed, those that lost most first. @param sign -1 if less is better. */
const changedItems = (pairs: readonly ComparedItem[], labels: ItemLabels, sign: 1 | -1) =>
  pairs
    .filter((item) => isComparable(item, ["baseline", "candidate"]))
    .map(({ itemId, baseline, candidate }) => ({
      item_id: itemId,
      item_name: labels.get(itemId)?.itemName ?? null,
      input: labels.get(itemId)?.input ?? null,
      baseline: sideReply(baseline),
      candidate: sideReply(candidate),
      difference: meanOf(candidate.values) - meanOf(baseline.values),
    }))
    .filter(({ difference }) => difference !== 0)
    .toSorted((a, b) => sign * (a.difference - b.difference));

/** Returns the items that lost by a rule, the worst first. */
export const regressionsOf = (pairs: readonly ComparedItem[], labels: ItemLabels, sign: 1 | -1) =>
  changedItems(pairs, labels, sign).filter(({ difference }) => sign * difference < 0);

/** Returns the numbers of a rule's test. */
export const testReply = ({ test, items, reason, baselineMean, candidateMean }: RuleOutcome) => ({
  mean: test.mean,
  interval: test.interval,
  count: test.count,
  baseline_mean: baselineMean,
  candidate_mean: candidateMean,
  detectable_difference: test.detectable === null ? null : test.detectable - Math.min(0, test.limit),
  items,
  reason,
});

/** Names of verdicts in comparisons. */
export const comparisonVerdicts = { pass: "not_worse", fail: "worse", cannot_tell: "cannot_tell" } as const;

/** @param sign -1 if less is better: the rule was tested by what was gained. */
export const measureReply = (outcome: RuleOutcome, labels: ItemLabels, sign: 1 | -1): MeasureComparisonReply => {
  const { pairs, verdict } = outcome;
  const changed = changedItems(pairs, labels, sign);
  const regressions = changed.filter(({ difference }) => sign * difference < 0);
  const improvements = changed.filter(({ difference }) => sign * difference > 0).toReversed();
  const { mean, interval, ...test } = testReply(outcome);
  const ends = interval === null ? [] : [sign * interval.lower, sign * interval.upper].toSorted((a, b) => a - b);
  return {
    ...test,
    mean: mean === null ? null : sign * mean,
    interval: interval === null ? null : { lower: ends[0] ?? 0, upper: ends[1] ?? 0 },
    verdict: comparisonVerdicts[verdict],
    regression_count: regressions.length,
    improvement_count: improvements.length,
    newly_failed_count: changed.filter(({ baseline, candidate }) => baseline.passed && candidate.passed === false)
      .length,
    newly_passed_count: changed.filter(({ baseline, candidate }) => candidate.passed && baseline.passed === false)
      .length,
    regressions: regressions.slice(0, maxNamed),
    improvements: improvements.slice(0, maxNamed),
  };
};

export const metricReply = (name: string, outcome: RuleOutcome, labels: ItemLabels) => ({
  metric_name: name,
  ...measureReply(outcome, labels, 1),
});

import { percentile } from "../analytics/percentile.ts";
import { compareRates, compareScoreMeans, type Comparison } from "../statistics/compare.ts";
import { meanEstimate, medianEstimate, rateEstimate } from "../statistics/estimate.ts";
import type { TraceFilters } from "../traces/filter.ts";
import type { ListedTrace } from "../traces/row.ts";
import { lackThreshold, observedScores, statisticsOfUnits, summaryEstimates } from "./unit-figures.ts";
import type { ScoreUnit } from "./unit.ts";

/** Sides of a comparison of scores. */
export const comparisonSides = ["baseline", "candidate"] as const;
export type ComparisonSide = (typeof comparisonSides)[number];

/** Fields of a trace that a side's figures are computed from. */
type ComparedTrace = Pick<ListedTrace, "traceId" | "sessionId" | "status" | "latency" | "totalCost">;

/** Accumulates the figures of a side's traces. */
export const tracesOfSide = () => {
  const costs: { value: number; cluster: string }[] = [];
  const errors: { value: number; cluster: string }[] = [];
  const latencies: { value: number; cluster: string }[] = [];
  return {
    add: ({ traceId, sessionId, status, latency, totalCost }: ComparedTrace): void => {
      const cluster = sessionId ?? traceId;
      costs.push({ value: totalCost, cluster });
      errors.push({ value: Number(status === "ERROR"), cluster });
      if (latency !== null) latencies.push({ value: latency, cluster });
    },
    isEmpty: () => costs.length === 0,
    figures: () => {
      const sorted = latencies.map(({ value }) => value).toSorted((a, b) => a - b);
      return {
        trace_count: costs.length,
        cost: meanEstimate(costs),
        latency_p50_ms: medianEstimate(latencies),
        latency_p95_ms: sorted.length === 0 ? null : percentile(sorted.length, (rank) => sorted[rank] ?? 0, 0.95),
        error_rate: rateEstimate(errors),
      };
    },
  };
};

/** Filters of which both must hold that have one value each. */
const singleValued = ["status", "session_id", "user_id", "release", "environment", "has_session"] as const;

/** Returns a sentence about a side that no trace matches, with the filters that exclude each other: both have a value, and these differ. */
export const noMatchText = (side: ComparisonSide, shared: TraceFilters, ofSide: TraceFilters): string => {
  const names = singleValued.filter((name) => {
    const [value, other] = [shared[name], ofSide[name]];
    return value !== undefined && other !== undefined && value !== other;
  });
  const reason = `: the filters of both sides and its own have different values of ${names.join(", ")}`;
  return `No trace matches ${side}${names.length === 0 ? "" : reason}.`;
};

/** Figures of the scores of a side. */
export const scoresOfSide = (units: readonly ScoreUnit[]) => ({
  ...summaryEstimates(units),
  failed_count: units.filter(({ status }) => status === "FAILED").length,
  rule_based_count: statisticsOfUnits(units).ruleBased,
});

type SideUnits = Readonly<Record<ComparisonSide, readonly ScoreUnit[]>>;

/** Share of the failed scores on the side that has more of them. */
const failedShare = (sides: SideUnits): number =>
  Math.max(
    ...comparisonSides.map((side) => {
      const { count, failed_count } = scoresOfSide(sides[side]);
      return count === 0 ? 0 : failed_count / count;
    }),
  );

/** One verdict of several comparisons: `worse` if one of them is, `not_worse` if all are. */
const verdictOf = (comparisons: readonly Comparison[]): Pick<Comparison, "verdict" | "reason"> => {
  const compared = comparisons.filter(({ difference }) => difference !== null);
  if (compared.length === 0) return { verdict: "cannot_tell", reason: "too_few" };
  if (compared.some(({ verdict }) => verdict === "worse")) return { verdict: "worse", reason: null };
  if (compared.every(({ verdict }) => verdict === "not_worse")) return { verdict: "not_worse", reason: null };
  return { verdict: "cannot_tell", reason: compared.find(({ reason }) => reason !== null)?.reason ?? null };
};

/**
 * Compares the scores of two sides: pass rate and mean; more is better.
 *
 * @param maxDrop largest drop that does not count as worse.
 */
export const compareScores = (sides: SideUnits, maxDrop: number) => {
  const [baseline, candidate] = [observedScores(sides.baseline), observedScores(sides.candidate)];
  const options = { maxDrop, missingShare: failedShare(sides) };
  const rates = compareRates(baseline.outcomes, candidate.outcomes, options);
  const hasThreshold = ![baseline, candidate].some(lackThreshold);
  const pass_rate = hasThreshold ? rates : { ...rates, reason: "no_threshold" as const };
  const mean = compareScoreMeans(baseline.values, candidate.values, options);
  return { pass_rate, mean, max_drop: maxDrop, ...verdictOf([pass_rate, mean]) };
};

import type { TraceListItem } from "../../client/interface.ts";

/** Dimensions that scores can be grouped by. */
export const dimensions = ["release", "environment", "judge"] as const;

export type Dimension = (typeof dimensions)[number];

/** The scores of one metric that share a release, an environment or a judge. */
export interface Group {
  readonly label: string;
  readonly count: number;
  readonly mean: number;
  readonly p10: number;
  readonly p90: number;
}

type Score = NonNullable<TraceListItem["scores"]>[number];

const labelOf = (trace: TraceListItem, score: Score, dimension: Dimension): string =>
  (dimension === "judge" ? (score.judge ?? score.source.toLowerCase()) : trace[dimension]) ?? "none";

/** Computes a quantile of sorted values by linear interpolation. @param share from 0 to 1. */
const quantile = (sortedValues: readonly number[], share: number): number => {
  const rank = (sortedValues.length - 1) * share;
  const [low, high] = [sortedValues[Math.floor(rank)] ?? 0, sortedValues[Math.ceil(rank)] ?? 0];
  return low + (high - low) * (rank - Math.floor(rank));
};

const groupOf = (label: string, values: readonly number[]): Group => {
  const sortedValues = values.toSorted((a, b) => a - b);
  return {
    label,
    count: sortedValues.length,
    mean: sortedValues.reduce((sum, value) => sum + value, 0) / sortedValues.length,
    p10: quantile(sortedValues, 0.1),
    p90: quantile(sortedValues, 0.9),
  };
};

/** Groups the applicable numeric scores of traces by metric and dimension, the largest group first. */
export const groupScores = (
  traces: readonly TraceListItem[],
  dimension: Dimension,
): ReadonlyMap<string, readonly Group[]> => {
  const numbers = traces.flatMap((trace) =>
    (trace.scores ?? [])
      .filter(({ data_type: type, applicable }) => type === "NUMERIC" && applicable !== false)
      .map((score) => ({ metric: score.name, label: labelOf(trace, score, dimension), value: Number(score.value) })),
  );
  const byMetric = Map.groupBy(numbers, ({ metric }) => metric);
  return new Map(
    [...byMetric].map(([metric, metricScores]) => {
      const byLabel = Map.groupBy(metricScores, ({ label }) => label);
      const groups = [...byLabel].map(([label, scores]) =>
        groupOf(
          label,
          scores.map(({ value }) => value),
        ),
      );
      return [metric, groups.toSorted((a, b) => b.count - a.count)] as const;
    }),
  );
};

import type { TraceListItem } from "../../client/interface.ts";

/** What scores can be told apart by. */
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

const labelOf = (trace: TraceListItem, score: Score, by: Dimension): string =>
  (by === "judge" ? (score.judge ?? score.source.toLowerCase()) : trace[by]) ?? "none";

/** The value that a share of sorted ones lie below. */
const quantile = (sorted: readonly number[], share: number): number => {
  const rank = (sorted.length - 1) * share;
  const [low, high] = [sorted[Math.floor(rank)] ?? 0, sorted[Math.ceil(rank)] ?? 0];
  return low + (high - low) * (rank - Math.floor(rank));
};

const groupOf = (label: string, values: readonly number[]): Group => {
  const sorted = values.toSorted((a, b) => a - b);
  return {
    label,
    count: sorted.length,
    mean: sorted.reduce((sum, value) => sum + value, 0) / sorted.length,
    p10: quantile(sorted, 0.1),
    p90: quantile(sorted, 0.9),
  };
};

/** By metric, the numbers of listed traces in groups, the largest group first. What does not apply is in none. */
export const groupsOf = (traces: readonly TraceListItem[], by: Dimension): ReadonlyMap<string, readonly Group[]> => {
  const numbers = traces.flatMap((trace) =>
    (trace.scores ?? [])
      .filter(({ data_type: type, applicable }) => type === "NUMERIC" && applicable !== false)
      .map((score) => ({ metric: score.name, label: labelOf(trace, score, by), value: Number(score.value) })),
  );
  const byMetric = Map.groupBy(numbers, ({ metric }) => metric);
  return new Map(
    [...byMetric].map(([metric, own]) => {
      const byLabel = Map.groupBy(own, ({ label }) => label);
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

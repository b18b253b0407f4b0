import type { TraceScore } from "../../client/interface.ts";
import { scoreNumber } from "../../domain/scores/number.ts";

type RunScore = Pick<TraceScore, "trace_id" | "name" | "value" | "data_type" | "applicable">;

/** Number of traces that have a number, and its mean; null without one. */
interface RunMean {
  readonly count: number;
  readonly mean: number | null;
}

/** A metric of two runs, and its scores of the traces that both have judged. */
interface MetricOfRuns {
  readonly name: string;
  readonly baseline: RunMean;
  readonly candidate: RunMean;
  /** Differences of the traces with a number in both runs, candidate minus baseline: their mean, and how many are above and below zero. */
  readonly pairs: RunMean & { readonly higher: number; readonly lower: number };
}

const meanOf = (values: readonly number[]): RunMean => ({
  count: values.length,
  mean: values.length === 0 ? null : values.reduce((sum, value) => sum + value, 0) / values.length,
});

const numbersByTrace = (scores: readonly RunScore[]): ReadonlyMap<string, number> =>
  new Map(
    scores.flatMap((score) => {
      const number = scoreNumber(score);
      return number === null ? [] : [[score.trace_id, number] as const];
    }),
  );

/** Compares the scores of two runs of traces by metric, those of traces that both have judged one by one. */
export const compareRuns = (baseline: readonly RunScore[], candidate: readonly RunScore[]): readonly MetricOfRuns[] =>
  [...new Set([...baseline, ...candidate].map(({ name }) => name))].toSorted().map((name) => {
    const before = numbersByTrace(baseline.filter((score) => score.name === name));
    const after = numbersByTrace(candidate.filter((score) => score.name === name));
    const differences = [...before].flatMap(([trace, value]) => {
      const other = after.get(trace);
      return other === undefined ? [] : [other - value];
    });
    const [higher, lower] = [1, -1].map((sign) => differences.filter((each) => Math.sign(each) === sign).length);
    return {
      name,
      baseline: meanOf([...before.values()]),
      candidate: meanOf([...after.values()]),
      pairs: { ...meanOf(differences), higher: higher ?? 0, lower: lower ?? 0 },
    };
  });

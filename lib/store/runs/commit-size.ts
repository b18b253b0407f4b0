import type { Settled } from "./settled-pairs.ts";

/** DynamoDB's limit of actions per transaction, minus those of the slice, the run, and two totals of the month's cost. */
export const maxCommitActions = 96;

/** Counts the actions that settled pairs add to a commit: two items for each score, and a check of each scored target. */
export const commitActions = (settled: readonly Settled[]): number => {
  const scores = settled.flatMap(({ checkedScore }) => checkedScore ?? []);
  return 2 * scores.length + new Set(scores.map(({ check }) => check.traceId)).size;
};

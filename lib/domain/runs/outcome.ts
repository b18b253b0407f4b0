import type { RunCounts, RunOrder, RunStatus } from "./run.ts";

/** The final status of a run, with a message for the user; the message is null if no judgement failed. */
export interface RunOutcome {
  readonly status: Extract<RunStatus, "COMPLETED" | "FAILED">;
  readonly errorMessage: string | null;
}

const nouns = { TRACE: ["trace", "traces"], SESSION: ["session", "sessions"] } as const;

const failures = (counts: RunCounts, example: string | null): string | null => {
  const failedCount = counts.failed - counts.lost;
  if (failedCount <= 0) return null;
  const count = `${failedCount} of ${counts.failed + counts.scored} judgements failed`;
  return example === null ? `${count}.` : `${count}, one of them because: ${example}`;
};

const missing = (order: RunOrder, counts: RunCounts): string | null => {
  if (counts.missing === 0) return null;
  const [singular, plural] = nouns[order.targetType];
  return counts.missing === 1 && order.total === 1
    ? `The ${singular} was not found.`
    : `${counts.missing} of ${order.total} ${plural} ${counts.missing === 1 ? "was" : "were"} not found.`;
};

/**
 * Computes the final status of a run whose pairs are all settled: COMPLETED if a score succeeded or there was nothing
 * to do.
 *
 * @param example reason of one failed judgement, for the user.
 */
export const outcomeOf = (order: RunOrder, counts: RunCounts, example: string | null): RunOutcome => {
  const parts = [order.emptyMessage, missing(order, counts), failures(counts, example)];
  const message = parts.filter((part) => part !== null).join(" ");
  return {
    status: counts.scored > 0 || order.total === 0 ? "COMPLETED" : "FAILED",
    errorMessage: message === "" ? null : message.slice(0, 2000),
  };
};

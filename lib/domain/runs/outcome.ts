import type { RunCounts, RunOrder, RunStatus } from "./run.ts";

export interface RunOutcome {
  readonly status: Extract<RunStatus, "COMPLETED" | "FAILED">;
  readonly errorMessage: string | null;
}

const nouns = { TRACE: ["trace", "traces"], SESSION: ["session", "sessions"] } as const;

const failures = (counts: RunCounts, example: string | null): string | null => {
  const judged = counts.failed - counts.lost;
  if (judged <= 0) return null;
  const count = `${judged} of ${counts.failed + counts.scored} judgements failed`;
  return example === null ? `${count}.` : `${count}, one of them because: ${example}`;
};

const missing = (order: RunOrder, counts: RunCounts): string | null => {
  if (counts.missing === 0) return null;
  const [one, many] = nouns[order.targetType];
  return counts.missing === 1 && order.total === 1
    ? `The ${one} was not found.`
    : `${counts.missing} of ${order.total} ${many} ${counts.missing === 1 ? "was" : "were"} not found.`;
};

/**
 * How a run ends once every pair is settled: COMPLETED when a score succeeded or there was nothing to do.
 *
 * @param example why one of the failed judgements failed, in words for a user.
 */
export const outcomeOf = (order: RunOrder, counts: RunCounts, example: string | null): RunOutcome => {
  const parts = [order.emptyMessage, missing(order, counts), failures(counts, example)];
  const said = parts.filter((part) => part !== null).join(" ");
  return {
    status: counts.scored > 0 || order.total === 0 ? "COMPLETED" : "FAILED",
    errorMessage: said === "" ? null : said.slice(0, 2000),
  };
};

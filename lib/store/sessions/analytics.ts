import type { Granularity } from "../../domain/analytics/bucket.ts";
import { sessionTally } from "../../domain/analytics/session-analytics.ts";
import { textBytes } from "../../domain/flat-text.ts";
import type { Instant } from "../../domain/instant.ts";
import type { Database } from "../database.ts";
import { heldBudget, heldLimits, maxRows, rowBudget } from "../traces/row-budget.ts";
import { rowScan } from "../traces/row-scan.ts";

/** What a session takes beside its id. */
const sessionBytes = 200;

/**
 * Sums up the sessions of a project's traces that started from an instant on and before another, at the time of the call.
 *
 * @param heldLimit bytes that the sessions may take.
 * @returns a function that throws a Refusal `invalid` when more than 2,000,000 rows would have to be read, or the sessions
 *   would take more memory than there is.
 */
export const sessionAnalytics = (
  database: Database,
  now: () => number = Date.now,
  rowLimit = maxRows,
  heldLimit: number = heldLimits[1024],
) => {
  const scan = rowScan(database, now);

  return async (project: string, from: Instant, to: Instant, granularity: Granularity) => {
    const tally = sessionTally();
    const bounds = [["query", "started_after"], "started_after and started_before"] as const;
    const [count, hold] = [rowBudget(rowLimit, ...bounds), heldBudget(heldLimit, "sessions", ...bounds)];
    await scan.all(project, { from, to }, { strongly: false }, (trace) => {
      count();
      if (tally.add(trace)) hold(sessionBytes + textBytes(trace.sessionId ?? ""));
    });
    return tally.buckets(granularity);
  };
};

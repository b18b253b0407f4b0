import type { Granularity } from "../../domain/analytics/bucket.ts";
import { sessionTally } from "../../domain/analytics/session-analytics.ts";
import type { Instant } from "../../domain/instant.ts";
import type { Database } from "../database.ts";
import { maxRows, rowBudget } from "../traces/row-budget.ts";
import { rowScan } from "../traces/row-scan.ts";

/**
 * Sums up the sessions of a project's traces that started from an instant on and before another, at the time of the call.
 *
 * @returns a function that throws a Refusal `invalid` when more than 2,000,000 rows would have to be read.
 */
export const sessionAnalytics = (database: Database, now: () => number = Date.now, rowLimit = maxRows) => {
  const scan = rowScan(database, now);

  return async (project: string, from: Instant, to: Instant, granularity: Granularity) => {
    const tally = sessionTally();
    const count = rowBudget(rowLimit, ["query", "started_after"], "started_after and started_before");
    await scan.all(project, { from, to }, false, (trace) => {
      count();
      tally.add(trace);
    });
    return tally.buckets(granularity);
  };
};

import type { Granularity } from "../../domain/analytics/bucket.ts";
import { sessionTally } from "../../domain/analytics/session-analytics.ts";
import { textBytes } from "../../domain/flat-text.ts";
import { traceFilter, type TraceFilter } from "../../domain/traces/filter.ts";
import type { Instant } from "../../domain/instant.ts";
import type { Database } from "../database.ts";
import { selection, type ScoresOf } from "../traces/lists/selection.ts";
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
  scoresOf?: ScoresOf,
) => {
  const scan = rowScan(database, now);

  /** @param filter of the traces that count, its range of starts included. */
  return async (
    project: string,
    from: Instant,
    to: Instant,
    granularity: Granularity,
    filter: TraceFilter = traceFilter({ date_from: from, date_to: to }),
  ) => {
    const tally = sessionTally();
    const bounds = [["query", "started_after"], "started_after and started_before"] as const;
    const [count, hold] = [rowBudget(rowLimit, ...bounds), heldBudget(heldLimit, "sessions", ...bounds)];
    const selected = selection(project, filter, scoresOf, ["query", "score"], (trace) => {
      if (tally.add(trace)) hold(sessionBytes + textBytes(trace.sessionId ?? ""));
    });
    await scan.all(project, filter, { strongly: false, lives: filter.scores !== null }, (trace) => {
      count();
      selected.see(trace);
    });
    await selected.end();
    return tally.buckets(granularity);
  };
};

import type { Granularity } from "../../domain/analytics/bucket.ts";
import { sessionTally } from "../../domain/analytics/session-analytics.ts";
import { textBytes } from "../../domain/text.ts";
import { traceFilter, type TraceFilter } from "../../domain/traces/filter.ts";
import type { Instant } from "../../domain/instant.ts";
import type { Database } from "../../dynamo/database.ts";
import { selection, type ScoresOf } from "../traces/lists/list.ts";
import type { FileDays } from "../traces/lists/file-days.ts";
import { scanWithFiles } from "../traces/lists/scan-with-files.ts";
import type { PackedTrace } from "../traces/packed-trace.ts";
import { memoryBudget, memoryLimits, maxRows, rowBudget, rowScan } from "../traces/row-scan.ts";

/** Bytes of memory that a session takes beside its id. */
const sessionBytes = 200;

/**
 * Returns a function that aggregates the sessions of a project's traces started in a range, computed at the time of
 * the call. The function throws a Refusal `invalid` when more than 2,000,000 rows would have to be read, or the
 * sessions exceed the memory limit.
 *
 * @param memoryLimit bytes of memory that the sessions may take.
 */
export const sessionAnalytics = (
  database: Database,
  now: () => number = Date.now,
  rowLimit = maxRows,
  memoryLimit: number = memoryLimits[1024],
  scoresOf?: ScoresOf,
) => {
  const scan = rowScan(database, now);

  /**
   * @param filter traces that count, including the range of starts.
   * @param files days that are read from files instead of rows; null for none.
   */
  return async (
    project: string,
    from: Instant,
    to: Instant,
    granularity: Granularity,
    filter: TraceFilter = traceFilter({ date_from: from, date_to: to }),
    files: FileDays | null = null,
  ) => {
    const tally = sessionTally();
    const bounds = [["query", "started_after"], "started_after and started_before"] as const;
    const [countRow, addBytes] = [rowBudget(rowLimit, ...bounds), memoryBudget(memoryLimit, "sessions", ...bounds)];
    const selected = selection(project, filter, scoresOf, ["query", "score"], (trace) => {
      if (tally.add(trace)) addBytes(sessionBytes + textBytes(trace.sessionId ?? ""));
    });
    const visit = (trace: PackedTrace): void => {
      countRow();
      selected.add(trace);
    };
    const ask = async (days: FileDays, rows: Promise<unknown>) => {
      await rows;
      await selected.finish();
      return await days.sessionFigures(tally.ids());
    };
    const reading = { strongly: false, withIncarnations: filter.scores !== null };
    const rows = { reading, visit, limit: [rowLimit, ...bounds] } as const;
    const ofFiles = await scanWithFiles(scan, project, filter, rows, { files, ask });
    await selected.finish();
    for (const figures of ofFiles ?? []) tally.addFigures(figures);
    return tally.buckets(granularity);
  };
};

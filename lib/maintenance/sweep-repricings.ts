import { inTurns, throwFailures } from "../async/in-turns.ts";
import { instantAt } from "../domain/instant.ts";
import { faultFields, logLine } from "../log.ts";
import type { Cursor, CursorLocation } from "../dynamo/cursor.ts";
import type { Database } from "../dynamo/database.ts";
import { isThrottled } from "../dynamo/failure.ts";
import type { PendingMarker, PendingMarkers } from "../store/hours/pending-markers.ts";
import { markersInFairTurns } from "../store/hours/fair-turns.ts";
import { repricingJobs, type OpenRepricing } from "../store/traces/repricing/jobs.ts";
import { rowsInOrder } from "../store/traces/repricing/rows.ts";

/** Cursor of the sweep in the markers of open repricings. */
export const repricingCursor: CursorLocation = { table: "aggregates", name: "repricing-turns", ttlSeconds: 86_400 };

/** Max rows between two stored positions of a repricing: a worker that dies repeats at most this many. */
const batchSize = 100;

/** Traces repriced concurrently. */
const concurrency = 8;

/** Report of one sweep over open repricings. */
export interface RepricingSweep {
  readonly traces: number;
  readonly repriced: number;
  /** True if time ran out: the next sweep continues. */
  readonly left: boolean;
}

/** Continues the repricings of trace ranges that admins requested, a few of each project in turn, from their stored positions. */
export const repricingSweeper = (
  database: Database,
  reprice: (project: string, trace: string) => Promise<boolean>,
  pending: Pick<PendingMarkers, "listAfter" | "clear">,
  cursor: Cursor,
  now: () => number = Date.now,
) => {
  const [jobs, rows] = [repricingJobs(database, now), rowsInOrder(database, now)];

  /** @param budget milliseconds of work. @throws AggregateError when some repricings failed, after all others had their turn. */
  return async (budget: number): Promise<RepricingSweep> => {
    let [traces, repriced, isUnfinished] = [0, 0, false];

    /** Reprices one trace. @returns counts of 0 or 1: `failed` if the trace could not be written. @throws throttling errors, so that the trace is retried. */
    const repriceOne = async (project: string, trace: string): Promise<{ changed: number; failed: number }> => {
      try {
        return { changed: Number(await reprice(project, trace)), failed: 0 };
      } catch (error) {
        if (isThrottled(error)) throw error;
        logLine("trace_not_repriced", { project_id: project, trace_id: trace, ...faultFields(error) });
        return { changed: 0, failed: 1 };
      }
    };

    const work = async (marker: PendingMarker, until: number): Promise<void> => {
      const { project, name } = marker;
      let job: OpenRepricing | null = await jobs.find(project, name);
      if (job === null || job.status === "COMPLETED") return pending.clear(marker);
      for await (const { day, rows: batch } of rows(project, job, job.place, batchSize)) {
        if (batch.length === 0) continue;
        let { place, looked: checkedCount, repriced: changedCount, failed }: OpenRepricing = job;
        // Large documents may take seconds each: when time runs out within a batch, the position of its last group is stored.
        for (let from = 0; from < batch.length && (from === 0 || now() < until); from += concurrency) {
          const group = batch.slice(from, from + concurrency);
          const tracesWithTokens = group.filter(({ totalTokens }) => totalTokens > 0);
          const results = await Promise.all(tracesWithTokens.map(({ traceId }) => repriceOne(project, traceId)));
          place = { day, key: group.at(-1)?.key ?? Buffer.of() };
          checkedCount += group.length;
          changedCount += results.reduce((sum, each) => sum + each.changed, 0);
          failed += results.reduce((sum, each) => sum + each.failed, 0);
        }
        const step: OpenRepricing = { ...job, place, looked: checkedCount, repriced: changedCount, failed };
        traces += step.looked - job.looked;
        repriced += step.repriced - job.repriced;
        // Another worker has advanced the repricing meanwhile and continues it.
        if (!(await jobs.advance(project, job, step))) return;
        job = step;
        if (now() >= until) {
          isUnfinished = true;
          return;
        }
      }
      if (await jobs.advance(project, job, { ...job, completedAt: instantAt(now()) })) await pending.clear(marker);
    };

    const turns = await inTurns(markersInFairTurns(pending, cursor, now), work, {
      until: now() + budget,
      now,
      concurrency: 2,
    });
    throwFailures(turns, "Ranges that could not be repriced");
    return { traces, repriced, left: turns.isIncomplete || isUnfinished };
  };
};

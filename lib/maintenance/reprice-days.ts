import { inTurns, throwFailures } from "../async/in-turns.ts";
import { faultFields, logLine } from "../log.ts";
import type { Cursor, CursorLocation } from "../dynamo/cursor.ts";
import type { Database } from "../dynamo/database.ts";
import { isThrottled } from "../dynamo/failure.ts";
import { sortKeyAfterProject, type PendingMarker, type PendingMarkers } from "../store/hours/pending-markers.ts";
import { markersInFairTurns } from "../store/hours/fair-turns.ts";
import type { TraceDay } from "../store/traces/days.ts";
import { repricingDays } from "../store/traces/repricing/day-leases.ts";
import type { DayLane, OpenRepricing, RepricingStep } from "../store/traces/repricing/jobs.ts";
import { rowsByDay } from "../store/traces/repricing/rows.ts";

/** Cursor of the workers in the markers of open repricings. */
export const repricingCursor: CursorLocation = { table: "aggregates", name: "repricing-turns", ttlSeconds: 86_400 };

/** Max rows between two stored positions of a day: a worker that dies repeats at most this many. */
const batchSize = 96;

/** Traces of one day repriced concurrently: enough that a virtual CPU does not wait for DynamoDB. */
const concurrency = 24;

/** Max milliseconds between two stored positions, besides the last group of traces: well below a lease. */
const stepMilliseconds = 10_000;

/** Report of one worker of open repricings. */
export interface RepricingReport {
  readonly traces: number;
  readonly repriced: number;
  /** True if time ran out: the next worker continues. */
  readonly left: boolean;
}

/**
 * Returns the sweeper's part in repricings: it starts one more worker a minute while a repricing is open. A worker ends after
 * six minutes at most, so that six work at a time.
 */
export const repricingStarter =
  (pending: Pick<PendingMarkers, "listAfter">, start: () => Promise<void>) =>
  async (): Promise<{ readonly repricingStarted: boolean }> => {
    const repricingStarted = (await pending.listAfter(sortKeyAfterProject(""), 1)).length > 0;
    if (repricingStarted) await start();
    return { repricingStarted };
  };

/**
 * Continues the repricings of trace ranges that admins requested, a few of each project in turn, day by day from their stored
 * positions. Several workers share a repricing: each leases a day at a time.
 */
export const dayRepricer = (
  database: Database,
  reprice: (project: string, trace: string) => Promise<boolean>,
  pending: Pick<PendingMarkers, "listAfter" | "clear">,
  cursor: Cursor,
  now: () => number = Date.now,
) => {
  const [days, rows] = [repricingDays(database, now), rowsByDay(database, now)];

  /** @param budget milliseconds of work. @throws AggregateError when some repricings failed, after all others had their turn. */
  return async (budget: number): Promise<RepricingReport> => {
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

    /** Reprices the remaining rows of a leased day. The lane is closed at the day's end, and free when time runs out or a step fails. */
    const repriceDay = async (
      project: string,
      job: OpenRepricing,
      claimed: DayLane,
      day: TraceDay,
      until: number,
    ): Promise<void> => {
      let lease = claimed;
      try {
        for await (const batch of rows.rowsOf(job, day, claimed.key, batchSize)) {
          for (let from = 0; from < batch.length;) {
            let step: RepricingStep = { key: Buffer.of(), looked: 0, repriced: 0, failed: 0 };
            // Large documents may take seconds each: the position is stored when time runs out within a batch.
            const end = Math.min(until, now() + stepMilliseconds);
            for (; from < batch.length && (step.looked === 0 || now() < end); from += concurrency) {
              const group = batch.slice(from, from + concurrency);
              const tracesWithTokens = group.filter(({ totalTokens }) => totalTokens > 0);
              const results = await Promise.all(tracesWithTokens.map(({ traceId }) => repriceOne(project, traceId)));
              step = {
                key: group.at(-1)?.key ?? Buffer.of(),
                looked: step.looked + group.length,
                repriced: step.repriced + results.reduce((sum, each) => sum + each.changed, 0),
                failed: step.failed + results.reduce((sum, each) => sum + each.failed, 0),
              };
            }
            traces += step.looked;
            repriced += step.repriced;
            const renewed = await days.advance(project, job.id, lease, step);
            // Another worker has taken the day meanwhile and continues it.
            if (renewed === null) return;
            lease = renewed;
            if (now() < until) continue;
            isUnfinished = true;
            await days.release(project, job.id, lease);
            return;
          }
        }
      } catch (error) {
        await days.release(project, job.id, lease).catch(() => false);
        throw error;
      }
      await days.finish(project, job.id, lease);
    };

    const work = async (marker: PendingMarker, until: number): Promise<void> => {
      const { project, name } = marker;
      do {
        const claim = await days.claim(project, name, (job) => rows.days(project, job));
        if (claim === "busy") return;
        if (claim === "ended") return pending.clear(marker);
        const { job, lease, day = { day: lease.day, partitions: [] } } = claim;
        await repriceDay(project, job, lease, day, until);
      } while (now() < until);
      isUnfinished = true;
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

import { inTurns, throwFailures } from "../async/in-turns.ts";
import { instantAt } from "../domain/instant.ts";
import { faultFields, logLine } from "../log.ts";
import type { Cursor, CursorPlace } from "../store/cursor.ts";
import type { Database } from "../store/database.ts";
import { isThrottled } from "../store/failure.ts";
import type { PendingMark, PendingMarks } from "../store/hours/pending-marks.ts";
import { pendingTurns } from "../store/hours/pending-turns.ts";
import { repricingJobs, type OpenRepricing } from "../store/traces/repricing/jobs.ts";
import { rowsInOrder } from "../store/traces/repricing/rows.ts";

/** How far what is to be repriced has been gone through. */
export const repricingPlace: CursorPlace = { table: "aggregates", name: "repricing-turns", kept: 86_400 };

/** Rows after which it is noted how far it has come, at the latest: what a worker that dies has done since is looked at once more. */
const atATime = 100;

/** Traces repriced side by side. */
const width = 8;

/** What a sweep did. */
export interface RepricingSweep {
  readonly traces: number;
  readonly repriced: number;
  /** Whether there was no time for all: the next sweep goes on. */
  readonly left: boolean;
}

/** Reprices ranges of traces that an admin has asked for, some of each project in turn, from where it was left. */
export const repricingSweeping = (
  database: Database,
  reprice: (project: string, trace: string) => Promise<boolean>,
  pending: Pick<PendingMarks, "behind" | "clear">,
  cursor: Cursor,
  now: () => number = Date.now,
) => {
  const [jobs, rows] = [repricingJobs(database, now), rowsInOrder(database, now)];

  /** @param budget milliseconds. @throws AggregateError when some could not be worked on, after all others were. */
  return async (budget: number): Promise<RepricingSweep> => {
    let [traces, repriced, unfinished] = [0, 0, false];

    /** @returns 1 where the trace could not be written; what has no capacity at the moment is tried again. */
    const repriceOne = async (project: string, trace: string): Promise<{ changed: number; failed: number }> => {
      try {
        return { changed: Number(await reprice(project, trace)), failed: 0 };
      } catch (error) {
        if (isThrottled(error)) throw error;
        logLine("trace_not_repriced", { project_id: project, trace_id: trace, ...faultFields(error) });
        return { changed: 0, failed: 1 };
      }
    };

    const work = async (mark: PendingMark, until: number): Promise<void> => {
      const { project, name } = mark;
      let job: OpenRepricing | null = await jobs.find(project, name);
      if (job === null || job.status === "COMPLETED") return pending.clear(mark);
      for await (const { day, rows: found } of rows(project, job, job.place, atATime)) {
        if (found.length === 0) continue;
        let { place, looked, repriced: changed, failed }: OpenRepricing = job;
        // Large documents may take seconds each: what is done of a hundred is noted, too.
        for (let from = 0; from < found.length && (from === 0 || now() < until); from += width) {
          const some = found.slice(from, from + width);
          const asked = some.filter(({ totalTokens }) => totalTokens > 0);
          const done = await Promise.all(asked.map(({ traceId }) => repriceOne(project, traceId)));
          place = { day, key: some.at(-1)?.key ?? Buffer.of() };
          looked += some.length;
          changed += done.reduce((sum, each) => sum + each.changed, 0);
          failed += done.reduce((sum, each) => sum + each.failed, 0);
        }
        const step: OpenRepricing = { ...job, place, looked, repriced: changed, failed };
        traces += step.looked - job.looked;
        repriced += step.repriced - job.repriced;
        // Whoever has gone on with it meanwhile goes on.
        if (!(await jobs.advance(project, job, step))) return;
        job = step;
        if (now() >= until) {
          unfinished = true;
          return;
        }
      }
      if (await jobs.advance(project, job, { ...job, completedAt: instantAt(now()) })) await pending.clear(mark);
    };

    const turns = await inTurns(pendingTurns(pending, cursor, now), work, { until: now() + budget, now, width: 2 });
    throwFailures(turns, "Ranges that could not be repriced");
    return { traces, repriced, left: turns.left || unfinished };
  };
};

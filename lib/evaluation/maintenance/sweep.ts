import { inTurns, throwFailures } from "../../async/in-turns.ts";
import { epochOf } from "../../domain/instant.ts";
import { isTerminal } from "../../domain/runs/run.ts";
import type { Cursor, CursorLocation } from "../../dynamo/cursor.ts";
import type { DueRuns } from "../../store/runs/due-runs.ts";
import type { OpenRuns } from "../../store/runs/open.ts";
import type { DeletedRun, RunDeletion } from "../../store/runs/deletion.ts";
import type { Runs } from "../../store/runs/runs.ts";
import type { PurgeRun } from "./purge-run.ts";
import { runsToCheck, type RunToCheck } from "./runs-to-check.ts";
import { sendDueSlices, type SendDependencies } from "./send-due-slices.ts";
import { sweepLimits, sweepBudget } from "./sweep-limits.ts";

/** Milliseconds after which an unfinished run creation is assumed dead: twice the timeout of the creating function. */
const maxCreationMilliseconds = 60_000;

/** Milliseconds in which a sweep starts to purge deleted runs, after its work on open runs. */
const purgeMilliseconds = 20_000;

/** Max milliseconds per deleted run: a run with many scores is continued by a later sweep, so that others get their turn. */
const purgeTurnMilliseconds = 5_000;

/** Cursor of the sweeps in the list of deleted runs. */
export const deletedRunsCursor: CursorLocation = { table: "aggregates", name: "deleted-runs", ttlSeconds: 3_600 };

/** Runs processed concurrently. */
const concurrency = 4;

/** Min milliseconds until a run's next check for the check to be stored: sweeps check runs without a stored time anyway. */
const minScheduleDelay = 90_000;

/** Report of one sweep of runs. */
export interface Sweep {
  /** Number of runs that have not ended. */
  readonly open: number;
  /** Due runs that exceeded the limits of the sweep: the next sweep starts with them. */
  readonly left: number;
  /** Runs removed because their creation was interrupted. */
  readonly removed: number;
  /** Runs without slices that were ended. */
  readonly ended: number;
  /** Slices sent. */
  readonly sent: number;
  /** Deleted runs whose last items were removed. */
  readonly buried: number;
}

export interface SweepDependencies extends SendDependencies {
  readonly openRuns: OpenRuns;
  readonly dueRuns: DueRuns;
  readonly runs: Runs;
  readonly deletion: Pick<RunDeletion, "list" | "find">;
  readonly purge: PurgeRun;
  /** Cursor stored at `deletedRunsCursor`. */
  readonly purgeCursor: Cursor;
}

/**
 * Sends due run slices and repairs the state that dead processes left: removes runs whose creation was interrupted, ends
 * runs without slices, and purges deleted runs. A slice is due by its stored times; the queue is not read. A sweep has
 * limits: the longest overdue runs come first, and checked runs are queued behind the remaining ones. Deleted runs take
 * turns: a sweep continues after the last purged one.
 *
 * @throws AggregateError when some runs could not be repaired, after all others were.
 */
export const sweep = async (dependencies: SweepDependencies, limits = sweepLimits): Promise<Sweep> => {
  const { openRuns, dueRuns, runs, deletion, purge, purgeCursor, now } = dependencies;
  const budget = sweepBudget(limits, now);
  const unscheduledRuns: Pick<RunToCheck, "project" | "run">[] = [];
  const counts = { left: 0, removed: 0, ended: 0, sent: 0, buried: 0 };

  const checkRun = async ({ project, run, isScheduled }: RunToCheck): Promise<void> => {
    const storedRun = await runs.read(project, run);
    if (storedRun === null || isTerminal(storedRun.run.status)) {
      if (isScheduled) await dueRuns.unschedule({ project, run });
    } else if (storedRun.isCreating) {
      const isDead = now() - epochOf(storedRun.run.order.createdAt) > maxCreationMilliseconds;
      if (isDead && (await openRuns.removeUncommitted(storedRun))) counts.removed += 1;
    } else if (storedRun.slices === 0) {
      await runs.endEmpty(storedRun);
      counts.ended += 1;
    } else if (budget.takeReads(storedRun.slices)) {
      const { sent, next } = await sendDueSlices(dependencies, storedRun, budget);
      counts.sent += sent;
      if (next > now() + minScheduleDelay) await dueRuns.schedule({ project, run, at: next });
      else unscheduledRuns.push({ project, run });
    } else {
      counts.left += 1;
    }
  };

  const { open, due } = await runsToCheck(openRuns, dueRuns, dependencies.queueIsEmpty ? Infinity : now());
  const checkTurns = await inTurns(due, checkRun, { until: budget.until, now, concurrency });
  counts.left += due.length - checkTurns.taken;
  const rescheduleTurns = await inTurns(
    counts.left === 0 ? [] : unscheduledRuns,
    (run) => dueRuns.schedule({ ...run, at: now() }),
    {
      until: Number.POSITIVE_INFINITY,
      now,
      concurrency,
    },
  );
  // Deleted runs are purged even if the sweep could not check all open runs.
  const purgeDeleted = async ({ project, run }: DeletedRun, until: number): Promise<void> => {
    const storedRun = await deletion.find(project, run);
    if (storedRun !== null && (await purge(storedRun, until))) counts.buried += 1;
  };
  /** Lists deleted runs after the last purged one. The cursor is read only if there are any. */
  const deletedRuns = async function* (): AsyncGenerator<DeletedRun> {
    for await (const _ of deletion.list(null)) {
      yield* deletion.list(await purgeCursor.get());
      return;
    }
  };
  const purgeTurns = await inTurns(deletedRuns(), purgeDeleted, {
    until: now() + purgeMilliseconds,
    now,
    turnMilliseconds: purgeTurnMilliseconds,
    concurrency,
    beforeTurn: async ({ position: place }) => {
      await purgeCursor.set(place);
      return true;
    },
  });
  throwFailures(checkTurns, "Runs that could not be repaired");
  throwFailures(rescheduleTurns, "Runs whose next check could not be stored");
  throwFailures(purgeTurns, "Deleted runs that could not be removed");
  return { open, ...counts };
};

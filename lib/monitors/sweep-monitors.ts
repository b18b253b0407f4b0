import { inTurns, throwFailures, type TurnSummary } from "../async/in-turns.ts";
import { byCodePoint } from "../domain/text.ts";
import { faultFields, logLine } from "../log.ts";
import type { FiringMessage } from "../queue/firing-message.ts";
import type { Cursor, CursorLocation } from "../dynamo/cursor.ts";
import type { StoredMonitor } from "../store/monitors/codec.ts";
import type { DueMonitor, DueMonitors } from "../store/monitors/due.ts";
import { lostFiringMilliseconds } from "../store/monitors/sweep-checks.ts";
import type { Monitors } from "../store/monitors/monitors.ts";
import type { Schedules } from "./schedules.ts";
import { synchronise } from "./synchronise.ts";

/** Cursor of the sweep in the list of all schedules. Kept for an hour: the Scheduler's page tokens expire. */
export const scheduleCursor: CursorLocation = { table: "monitors", name: "schedules", ttlSeconds: 3_600 };

/**
 * Milliseconds after the start of a sweep at which each of its parts starts no more work. The sweeper runs every minute with
 * a timeout of 120 s.
 */
const partEnds = { firings: 20_000, schedules: 40_000, orphans: 50_000 } as const;

/** Concurrent monitors of a sweep: when firing, and when writing schedules, since the Scheduler allows some dozen requests a second. */
const [concurrency, scheduleConcurrency] = [10, 4];

/** Number of monitors fired and scheduled, and of orphaned schedules removed, by a sweep. */
export interface MonitorSweep {
  readonly fired: number;
  readonly scheduled: number;
  readonly orphans: number;
}

export interface MonitorSweepDependencies {
  readonly monitors: Monitors;
  readonly due: DueMonitors;
  readonly schedules: Schedules;
  readonly cursor: Cursor;
  readonly send: (firing: FiringMessage) => Promise<void>;
  readonly now: () => number;
}

/** Runs `work`; logs the monitor's id if it fails, then rethrows. */
const withFailureLog = async (monitor: string, work: () => Promise<void>): Promise<void> => {
  try {
    await work();
  } catch (error) {
    logLine("monitor_not_repaired", { monitor_id: monitor, ...faultFields(error) });
    throw error;
  }
};

/**
 * Repairs firings that the Scheduler lost and schedules that a dead process left behind: fires overdue instants, then writes
 * missing or outdated schedules, then removes a page of the schedules whose monitor is deleted. Each monitor is checked on
 * its own, with a pause that doubles after each check that changed nothing.
 *
 * @throws AggregateError when some monitors could not be repaired, after all others were.
 */
export const sweepMonitors = async ({
  monitors,
  due,
  schedules,
  cursor,
  send,
  now,
}: MonitorSweepDependencies): Promise<MonitorSweep> => {
  const [begin, counts] = [now(), { fired: 0, scheduled: 0, orphans: 0 }];
  const unscheduled: (Pick<DueMonitor, "at"> & { readonly storedMonitor: StoredMonitor })[] = [];

  const fire = (): Promise<TurnSummary> =>
    inTurns(
      due.list(begin),
      ({ project, monitor, at }) =>
        withFailureLog(monitor, async () => {
          const storedMonitor = await monitors.get(project, monitor);
          if (storedMonitor === null) return;
          // A schedule that did not fire may be missing.
          unscheduled.push({ at, storedMonitor });
          const { nextRunAt, generation } = storedMonitor.monitor;
          if (nextRunAt === null || nextRunAt + lostFiringMilliseconds > now()) return;
          await send({ project, monitor, generation, scheduledAt: nextRunAt });
          counts.fired += 1;
        }),
      { until: begin + partEnds.firings, now, concurrency, beforeTurn: (each) => due.touch(each) },
    );

  const schedule = (): Promise<TurnSummary> =>
    inTurns(
      // Longest due first, as listed: concurrent reads end in any order.
      unscheduled.toSorted((a, b) => byCodePoint(a.at, b.at)),
      ({ storedMonitor }) =>
        withFailureLog(storedMonitor.monitor.id, async () => {
          await due.postpone(storedMonitor);
          await synchronise(storedMonitor, monitors, schedules);
          counts.scheduled += 1;
        }),
      { until: begin + partEnds.schedules, now, concurrency: scheduleConcurrency },
    );

  /** Returns the next page of schedules. The cursor advances before the work, so that a page that kills its worker is skipped until the next round. */
  const pageOfSchedules = async () => {
    const from = await cursor.get();
    try {
      const { monitors: page, next } = await schedules.page(from);
      await cursor.set(next);
      return page;
    } catch (error) {
      // The stored page token may have expired: start again from the first page.
      if (from !== null) await cursor.set(null);
      throw error;
    }
  };

  const removeOrphans = async (): Promise<TurnSummary> =>
    inTurns(
      await pageOfSchedules(),
      ({ project, monitor }) =>
        withFailureLog(monitor, async () => {
          if ((await monitors.get(project, monitor)) !== null) return;
          await schedules.remove(project, monitor);
          counts.orphans += 1;
        }),
      { until: begin + partEnds.orphans, now, concurrency },
    );

  const failures: unknown[] = [];
  for (const [part, failureMessage] of [
    [fire, "Monitors that could not be checked"],
    [schedule, "Monitors that could not be scheduled"],
    [removeOrphans, "Schedules without a monitor that could not be removed"],
  ] as const) {
    try {
      throwFailures(await part(), failureMessage);
    } catch (error) {
      failures.push(error);
    }
  }
  if (failures.length > 0) throw new AggregateError(failures, "Not all monitors could be repaired.");
  return counts;
};

import { inTurns, throwFailures, type TurnsTaken } from "../async/in-turns.ts";
import { faultFields, logLine } from "../log.ts";
import type { FiringMessage } from "../queue/firing-message.ts";
import type { Cursor, CursorPlace } from "../store/cursor.ts";
import type { StoredMonitor } from "../store/monitors/codec.ts";
import type { DueMonitors } from "../store/monitors/due.ts";
import { lostAfter } from "../store/monitors/look.ts";
import type { Monitors } from "../store/monitors/monitors.ts";
import type { Schedules } from "./schedules.ts";
import { synchronise } from "./synchronise.ts";

/** How far a sweep has come in the list of all schedules. A place in it that is older may not be known any more. */
export const schedulePlace: CursorPlace = { table: "monitors", name: "schedules", kept: 3_600 };

/**
 * When each part of a sweep begins nothing more, in milliseconds after the sweep's beginning: the sweeper comes every minute
 * and has 120 s for all that it does.
 */
const ends = { firings: 20_000, schedules: 40_000, orphans: 50_000 } as const;

/** Monitors at a time: the Scheduler takes some dozen requests a second. */
const [width, scheduleWidth] = [10, 4];

/** What a sweep did. */
export interface MonitorSweep {
  readonly fired: number;
  readonly scheduled: number;
  readonly orphans: number;
}

export interface MonitorSweepParts {
  readonly monitors: Monitors;
  readonly due: DueMonitors;
  readonly schedules: Schedules;
  readonly cursor: Cursor;
  readonly send: (firing: FiringMessage) => Promise<void>;
  readonly now: () => number;
}

/** Says of which monitor something failed. */
const told = async (monitor: string, work: () => Promise<void>): Promise<void> => {
  try {
    await work();
  } catch (error) {
    logLine("monitor_not_repaired", { monitor_id: monitor, ...faultFields(error) });
    throw error;
  }
};

/**
 * Repairs what the Scheduler lost and what a dead process left: fires the instants that were not fired, then makes the
 * schedules that are missing or old, then removes, a page of them at a time, those whose monitor is gone. Each monitor is
 * looked at on its own, and left alone for twice as long after each look that has changed nothing.
 *
 * @throws AggregateError when something could not be repaired, after all else was.
 */
export const sweepMonitors = async ({
  monitors,
  due,
  schedules,
  cursor,
  send,
  now,
}: MonitorSweepParts): Promise<MonitorSweep> => {
  const [begin, done] = [now(), { fired: 0, scheduled: 0, orphans: 0 }];
  const unscheduled: StoredMonitor[] = [];

  const fire = (): Promise<TurnsTaken> =>
    inTurns(
      due.list(begin),
      ({ project, monitor }) =>
        told(monitor, async () => {
          const stored = await monitors.get(project, monitor);
          if (stored === null) return;
          // A schedule that did not fire may not be there.
          unscheduled.push(stored);
          const { nextRunAt, generation } = stored.monitor;
          if (nextRunAt === null || nextRunAt + lostAfter > now()) return;
          await send({ project, monitor, generation, scheduledAt: nextRunAt });
          done.fired += 1;
        }),
      { until: begin + ends.firings, now, width, touch: (each) => due.touch(each) },
    );

  const schedule = (): Promise<TurnsTaken> =>
    inTurns(
      unscheduled,
      (stored) =>
        told(stored.monitor.id, async () => {
          await due.postpone(stored);
          await synchronise(stored, monitors, schedules);
          done.scheduled += 1;
        }),
      { until: begin + ends.schedules, now, width: scheduleWidth },
    );

  /** The cursor moves on before the work: what its worker dies of is found again the next time round. */
  const pageOfSchedules = async () => {
    const from = await cursor.get();
    try {
      const { monitors: page, next } = await schedules.page(from);
      await cursor.set(next);
      return page;
    } catch (error) {
      // The place may not be known any more.
      if (from !== null) await cursor.set(null);
      throw error;
    }
  };

  const removeOrphans = async (): Promise<TurnsTaken> =>
    inTurns(
      await pageOfSchedules(),
      ({ project, monitor }) =>
        told(monitor, async () => {
          if ((await monitors.get(project, monitor)) !== null) return;
          await schedules.remove(project, monitor);
          done.orphans += 1;
        }),
      { until: begin + ends.orphans, now, width },
    );

  const failures: unknown[] = [];
  for (const [part, what] of [
    [fire, "Monitors that could not be looked at"],
    [schedule, "Monitors that could not be scheduled"],
    [removeOrphans, "Schedules without a monitor that could not be removed"],
  ] as const) {
    try {
      throwFailures(await part(), what);
    } catch (error) {
      failures.push(error);
    }
  }
  if (failures.length > 0) throw new AggregateError(failures, "Not all monitors could be repaired.");
  return done;
};

import type { FiringMessage } from "../queue/firing-message.ts";
import type { Monitors } from "../store/monitors/monitors.ts";
import type { Cursor, CursorPlace } from "../store/cursor.ts";
import type { Schedules } from "./schedules.ts";
import { synchronise } from "./synchronise.ts";

/** How far a sweep has come in the list of all schedules. A place in it that is older may not be known any more. */
export const schedulePlace: CursorPlace = { table: "monitors", name: "schedules", kept: 3_600 };

/** A firing this late, in milliseconds, was lost on its way. */
const patience = 3 * 60_000;

/** What a sweep did. */
export interface MonitorSweep {
  readonly fired: number;
  readonly scheduled: number;
  readonly orphans: number;
}

/**
 * Repairs what the Scheduler lost and what a dead process left: fires the instants that were not fired, makes the schedules
 * that are missing or old, and removes, a page of them at a time, those whose monitor is gone.
 */
export const sweepMonitors = async (
  monitors: Monitors,
  schedules: Schedules,
  cursor: Cursor,
  send: (firing: FiringMessage) => Promise<void>,
  now: () => number = Date.now,
): Promise<MonitorSweep> => {
  let [fired, scheduled, orphans] = [0, 0, 0];
  for await (const { project, monitor: id } of monitors.due(now())) {
    const stored = await monitors.get(project, id);
    if (stored === null) continue;
    const { nextRunAt, generation } = stored.monitor;
    if (nextRunAt !== null && nextRunAt + patience <= now()) {
      await send({ project, monitor: id, generation, scheduledAt: nextRunAt });
      fired += 1;
    }
    // A schedule that did not fire may not be there.
    await synchronise(stored, monitors, schedules);
    scheduled += 1;
  }
  const { monitors: page, next } = await schedules.page(await cursor.get());
  for (const { project, monitor } of page) {
    if ((await monitors.get(project, monitor)) !== null) continue;
    await schedules.remove(project, monitor);
    orphans += 1;
  }
  await cursor.set(next);
  return { fired, scheduled, orphans };
};

import { faultFields, logLine } from "../log.ts";
import type { StoredMonitor } from "../store/monitors/codec.ts";
import type { Monitors } from "../store/monitors/monitors.ts";
import type { Schedules } from "./schedules.ts";

/** Max concurrent changes of one monitor that a call follows before it leaves the rest to the sweeper. */
const maxPasses = 5;

/**
 * Writes a monitor's schedules and records on the monitor that they are written. A slower writer may have overwritten newer
 * schedules with older ones, so the monitor is read again after every pass and the schedules end up as the stored monitor.
 */
export const synchronise = async (
  { monitor }: Pick<StoredMonitor, "monitor">,
  monitors: Monitors,
  schedules: Schedules,
): Promise<void> => {
  const { projectId, id } = monitor;
  let current = monitor;
  for (let pass = 0; pass < maxPasses; pass += 1) {
    await schedules.apply(current);
    if (await monitors.recordScheduled(current)) return;
    const storedMonitor = await monitors.get(projectId, id);
    if (storedMonitor === null) {
      await schedules.remove(projectId, id);
      return;
    }
    current = storedMonitor.monitor;
  }
};

/** Runs `work`; logs a failure and does not rethrow it, since the sweeper repairs schedules. */
const withFailureLog = async (monitor: string, work: () => Promise<void>): Promise<void> => {
  try {
    await work();
  } catch (error) {
    logLine("schedule_delayed", { monitor_id: monitor, ...faultFields(error) });
  }
};

/**
 * Writes a monitor's schedules at the end of a request, if they are outdated. A failure is logged only: the monitor is
 * stored, and the sweeper writes its schedules within minutes.
 */
export const synchroniseSoon = async (
  storedMonitor: StoredMonitor,
  monitors: Monitors,
  schedules: Schedules,
): Promise<void> => {
  if (storedMonitor.scheduled === storedMonitor.monitor.generation) return;
  await withFailureLog(storedMonitor.monitor.id, () => synchronise(storedMonitor, monitors, schedules));
};

/** Removes the schedules of a deleted monitor. A failure is logged only: the sweeper removes them later. */
export const removeSchedulesSoon = (project: string, monitor: string, schedules: Schedules): Promise<void> =>
  withFailureLog(monitor, () => schedules.remove(project, monitor));

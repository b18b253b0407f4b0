import { faultFields, logLine } from "../log.ts";
import type { StoredMonitor } from "../store/monitors/codec.ts";
import type { Monitors } from "../store/monitors/monitors.ts";
import type { Schedules } from "./schedules.ts";

/** Changes of one monitor that a pass follows before it leaves the rest to the sweeper. */
const maxPasses = 5;

/**
 * Makes a monitor's schedules follow its record, and notes it. A slow writer may have put older ones in place of newer: the
 * record is looked at again after every pass, so that the last one to pass leaves what the record says.
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
    if (await monitors.noteScheduled(current)) return;
    const stored = await monitors.get(projectId, id);
    if (stored === null) {
      await schedules.remove(projectId, id);
      return;
    }
    current = stored.monitor;
  }
};

const laterFor = async (monitor: string, work: () => Promise<void>): Promise<void> => {
  try {
    await work();
  } catch (error) {
    logLine("schedule_delayed", { monitor_id: monitor, ...faultFields(error) });
  }
};

/**
 * The same at the end of a request: the record is durable, and what cannot be scheduled now is scheduled by the sweeper
 * within minutes.
 */
export const synchroniseSoon = async (
  stored: StoredMonitor,
  monitors: Monitors,
  schedules: Schedules,
): Promise<void> => {
  if (stored.scheduled === stored.monitor.generation) return;
  await laterFor(stored.monitor.id, () => synchronise(stored, monitors, schedules));
};

/** Removes the schedules of a monitor that is gone; what cannot be removed now the sweeper finds. */
export const removeSoon = (project: string, monitor: string, schedules: Schedules): Promise<void> =>
  laterFor(monitor, () => schedules.remove(project, monitor));

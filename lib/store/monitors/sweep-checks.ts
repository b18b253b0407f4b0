import { instantAt, type Instant } from "../../domain/instant.ts";
import type { Monitor } from "../../domain/monitors/monitor.ts";
import type { Item } from "../../dynamo/items.ts";
import { dueMonitorsPartition } from "./keys.ts";

/**
 * Milliseconds after which a monitor's scheduled firing counts as lost; the sweeper (the scheduled maintenance
 * function) then fires the monitor.
 */
export const lostFiringMilliseconds = 3 * 60_000;

/**
 * Milliseconds after a change of a monitor until the sweeper (the scheduled maintenance function) creates missing
 * schedules.
 */
const schedulingMilliseconds = 60_000;

/**
 * Checks of a monitor by the sweeper (the scheduled maintenance function) since it last fired or changed, and the time
 * of the next check.
 */
export interface SweepCheck {
  readonly count: number;
  readonly next: Instant;
}

/** Properties of a stored monitor that determine its next check. */
interface CheckedMonitor {
  readonly monitor: Pick<Monitor, "nextRunAt" | "generation">;
  readonly scheduled: number;
  readonly check: SweepCheck | null;
}

/** Time of the first check of a monitor; null if no check is needed. */
const firstCheck = ({ monitor, scheduled }: CheckedMonitor, lateAt: Instant | null, now: number): Instant | null =>
  monitor.generation === scheduled ? lateAt : instantAt(now + schedulingMilliseconds);

/**
 * Returns the attributes of a monitor's item for the index `due`, by which the sweeper (the scheduled maintenance
 * function) finds monitors to check. `late_at` is the time at which its next firing counts as lost, independent of
 * other reasons for a check.
 */
export const dueFields = (monitorState: CheckedMonitor, now: number): Item => {
  const { check, monitor } = monitorState;
  const lateAt = monitor.nextRunAt === null ? null : instantAt(monitor.nextRunAt + lostFiringMilliseconds);
  const at = check?.next ?? firstCheck(monitorState, lateAt, now);
  if (at === null) return {};
  return {
    due_key: dueMonitorsPartition,
    due_at: at,
    ...(lateAt !== null && { late_at: lateAt }),
    ...(check !== null && { looks: check.count }),
  };
};

/**
 * Milliseconds between the first two checks of an unchanged monitor; the pause doubles with each check up to
 * `longestPause`.
 */
const firstPause = 2 * 60_000;
const longestPause = 6 * 3_600_000;

/**
 * Returns the time of a monitor's next check after a number of checks, at the latest when the next firing counts as
 * lost.
 */
export const nextCheck = (checks: number, lateAt: Instant | undefined, now: number): Instant => {
  const next = instantAt(now + Math.min(longestPause, firstPause * 2 ** (checks - 1)));
  return lateAt !== undefined && lateAt > instantAt(now) && lateAt < next ? lateAt : next;
};

/**
 * Returns the stored checks of a monitor after the monitor has changed: null when it has fired or its schedule has
 * changed.
 */
export const checkAfter = (before: CheckedMonitor, after: Omit<CheckedMonitor, "check">): SweepCheck | null => {
  const { nextRunAt, generation } = after.monitor;
  const isUnchanged = nextRunAt === before.monitor.nextRunAt && generation === before.monitor.generation;
  return isUnchanged && after.scheduled === before.scheduled ? before.check : null;
};

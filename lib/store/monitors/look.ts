import { instantAt, type Instant } from "../../domain/instant.ts";
import type { Monitor } from "../../domain/monitors/monitor.ts";
import { duePartition } from "./keys.ts";

/** A firing this late, in milliseconds, was lost on its way: the sweeper fires it. */
export const lostAfter = 3 * 60_000;

/** Schedules that were not made this long after their monitor changed are made by the sweeper. */
const scheduling = 60_000;

/** How often the sweeper has looked at a monitor since it last went on, and when it looks again. */
export interface Look {
  readonly count: number;
  readonly next: Instant;
}

/** What decides when the sweeper looks at a monitor. */
interface Looked {
  readonly monitor: Pick<Monitor, "nextRunAt" | "generation">;
  readonly scheduled: number;
  readonly look: Look | null;
}

/** When the sweeper has to look at a monitor that nobody has looked at yet; null: never. */
const firstLook = ({ monitor, scheduled }: Looked, late: Instant | null, now: number): Instant | null =>
  monitor.generation === scheduled ? late : instantAt(now + scheduling);

/** What a monitor's item has of the sweeper's looks. `late_at`: when its next firing was lost, whatever else waits for a look. */
export const dueFields = (looked: Looked, now: number) => {
  const { look, monitor } = looked;
  const late = monitor.nextRunAt === null ? null : instantAt(monitor.nextRunAt + lostAfter);
  const at = look?.next ?? firstLook(looked, late, now);
  if (at === null) return {};
  return {
    due_key: duePartition,
    due_at: at,
    ...(late !== null && { late_at: late }),
    ...(look !== null && { looks: look.count }),
  };
};

/** How long a monitor is left alone that was looked at and has not changed since; each look more doubles it. */
const firstPause = 2 * 60_000;
const longestPause = 6 * 3_600_000;

/** When to look again after so many looks. What is not late yet is looked at once it is. */
export const nextLook = (looks: number, late: Instant | undefined, now: number): Instant => {
  const next = instantAt(now + Math.min(longestPause, firstPause * 2 ** (looks - 1)));
  return late !== undefined && late > instantAt(now) && late < next ? late : next;
};

/** The looks at a monitor after a change of it: none when it has gone on. */
export const lookAfter = (before: Looked, after: Omit<Looked, "look">): Look | null => {
  const { nextRunAt, generation } = after.monitor;
  const waits = nextRunAt === before.monitor.nextRunAt && generation === before.monitor.generation;
  return waits && after.scheduled === before.scheduled ? before.look : null;
};

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
const firstLook = ({ monitor: { nextRunAt, generation }, scheduled }: Looked, now: number): Instant | null => {
  if (generation !== scheduled) return instantAt(now + scheduling);
  return nextRunAt === null ? null : instantAt(nextRunAt + lostAfter);
};

/** What the index of due monitors holds of one. */
export const dueFields = (looked: Looked, now: number) => {
  const { look } = looked;
  const at = look?.next ?? firstLook(looked, now);
  return at === null ? {} : { due_key: duePartition, due_at: at, ...(look !== null && { looks: look.count }) };
};

/** The looks at a monitor after a change of it: none when it has gone on. */
export const lookAfter = (before: Looked, after: Omit<Looked, "look">): Look | null => {
  const { nextRunAt, generation } = after.monitor;
  const waits = nextRunAt === before.monitor.nextRunAt && generation === before.monitor.generation;
  return waits && after.scheduled === before.scheduled ? before.look : null;
};

import { type Background, repeat } from "../host/background.ts";
import type { NoteFailure } from "../host/failure-log.ts";
import { buryIn, deliverTo, type Targets } from "./delivery.ts";
import { schedulesFiring } from "./firing.ts";
import type { Schedules } from "./schedules.ts";

const tickMs = 1_000;

/**
 * EventBridge Scheduler: fires schedules at queues and functions, to the second. What is due while the runtime is stopped
 * fires once when it starts again.
 *
 * Does not do: flexible windows, groups beyond their name, retries that survive a restart, targets other than queues and
 * functions.
 */
export const startScheduler = (
  schedules: Schedules,
  targets: Targets,
  now: () => number,
  noteFailure: NoteFailure,
): Background => {
  const firing = schedulesFiring(schedules, deliverTo(targets), {
    bury: buryIn(targets),
    note: ({ name }, error) => noteFailure(name, error),
  });
  return repeat(
    async () => {
      await firing.fireDue(now());
      return tickMs;
    },
    (error) => noteFailure("scheduler", error),
  );
};

import { type Background, repeat } from "../host/background.ts";
import type { LogFailure } from "../host/failure-log.ts";
import { sendToDeadLetters, deliverTo, type Targets } from "./delivery.ts";
import { scheduleFiring } from "./firing.ts";
import type { Schedules } from "./schedules.ts";

const tickMs = 1_000;

/**
 * Starts EventBridge Scheduler: fires schedules at queues and functions with a precision of one second. A schedule that was due
 * while the runtime was stopped fires once after the start.
 *
 * Not supported: flexible windows, groups beyond their name, retries that survive a restart, targets other than queues and
 * functions.
 */
export const startScheduler = (
  schedules: Schedules,
  targets: Targets,
  now: () => number,
  logFailure: LogFailure,
): Background => {
  const firing = scheduleFiring(schedules, deliverTo(targets), {
    deadLetter: sendToDeadLetters(targets),
    log: ({ name }, error) => logFailure(name, error),
  });
  return repeat(
    async () => {
      await firing.fireDue(now());
      return tickMs;
    },
    (error) => logFailure("scheduler", error),
  );
};

import type { Deliver } from "./delivery.ts";
import type { Schedule, Schedules } from "./schedules.ts";

/** Fires due schedules. */
export interface ScheduleFiring {
  /**
   * Fires all schedules that are due. Resolves when each is delivered, has a retry planned, or has no attempts left.
   *
   * @param now current time in epoch milliseconds
   */
  fireDue(now: number): Promise<void>;
}

/** Callbacks for failed deliveries: `log` after each failed attempt, `deadLetter` after the last. */
export interface FailureHandler {
  readonly deadLetter: (schedule: Schedule, attempts: number, error: unknown) => Promise<void>;
  readonly log: (schedule: Schedule, error: unknown) => void;
}

/** Defaults of EventBridge's retry policy: maximum retries and maximum age in seconds. */
const maxRetries = 185;
const maxEventAgeSeconds = 86_400;

/** Milliseconds before the next attempt: doubles with each attempt, at most five minutes. */
const retryDelay = (attempts: number): number => Math.min(300_000, 1_000 * 2 ** (attempts - 1));

/**
 * Creates the firing of schedules. A firing is stored after its delivery, so a process that is killed in between delivers it again
 * (at-least-once, as the Scheduler does). Firings of one schedule are delivered one after the other.
 */
export const scheduleFiring = (
  schedules: Schedules,
  deliver: Deliver,
  { deadLetter, log }: FailureHandler,
): ScheduleFiring => {
  const failures = new Map<string, { readonly at: number; readonly attempts: number; readonly retryAt: number }>();

  const fire = async (schedule: Schedule, now: number): Promise<void> => {
    const key = `${schedule.definition.GroupName}/${schedule.name}`;
    const failure = failures.get(key);
    const previousFailure = failure?.at === schedule.next ? failure : undefined;
    if (previousFailure !== undefined && previousFailure.retryAt > now) return;
    const attempts = (previousFailure?.attempts ?? 0) + 1;
    const { MaximumRetryAttempts = maxRetries, MaximumEventAgeInSeconds = maxEventAgeSeconds } =
      schedule.definition.Target.RetryPolicy ?? {};
    try {
      await deliver(schedule, attempts);
    } catch (error) {
      log(schedule, error);
      if (attempts <= MaximumRetryAttempts && now - schedule.next < MaximumEventAgeInSeconds * 1_000) {
        failures.set(key, { at: schedule.next, attempts, retryAt: now + retryDelay(attempts) });
        return;
      }
      await deadLetter(schedule, attempts, error);
    }
    failures.delete(key);
    schedules.markFired(schedule, now);
  };

  return {
    fireDue: async (now) => {
      const due = schedules.all().filter(({ next, definition }) => next <= now && definition.State === "ENABLED");
      await Promise.all(due.map((schedule) => fire(schedule, now)));
    },
  };
};

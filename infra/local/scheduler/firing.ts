import type { Deliver } from "./delivery.ts";
import type { Schedule, Schedules } from "./schedules.ts";

export interface Firing {
  /**
   * Fires what is due now (epoch milliseconds); returns when all of it is delivered, waiting for its next attempt or given
   * up. Whoever gives the time is the clock.
   */
  fireDue(now: number): Promise<void>;
}

/** What becomes of a delivery that failed. */
export interface Misfortune {
  readonly bury: (schedule: Schedule, attempts: number, error: unknown) => Promise<void>;
  readonly note: (schedule: Schedule, error: unknown) => void;
}

/** EventBridge's own limits of a retry policy. */
const mostRetries = 185;
const longestAge = 86_400;

/** Milliseconds before the next attempt: doubled each time, five minutes at most. */
const waitAfter = (attempts: number): number => Math.min(300_000, 1_000 * 2 ** (attempts - 1));

/**
 * Fires schedules. An instant is delivered first and noted after: a process killed in between delivers it again, as the
 * Scheduler may. An instant of a schedule waits for the one before it.
 */
export const schedulesFiring = (schedules: Schedules, deliver: Deliver, { bury, note }: Misfortune): Firing => {
  const failing = new Map<string, { readonly at: number; readonly attempts: number; readonly again: number }>();

  const fire = async (schedule: Schedule, now: number): Promise<void> => {
    const key = `${schedule.definition.GroupName}/${schedule.name}`;
    const known = failing.get(key);
    const before = known?.at === schedule.next ? known : undefined;
    if (before !== undefined && before.again > now) return;
    const attempts = (before?.attempts ?? 0) + 1;
    const { MaximumRetryAttempts = mostRetries, MaximumEventAgeInSeconds = longestAge } =
      schedule.definition.Target.RetryPolicy ?? {};
    try {
      await deliver(schedule, attempts);
    } catch (error) {
      note(schedule, error);
      if (attempts <= MaximumRetryAttempts && now - schedule.next < MaximumEventAgeInSeconds * 1_000) {
        failing.set(key, { at: schedule.next, attempts, again: now + waitAfter(attempts) });
        return;
      }
      await bury(schedule, attempts, error);
    }
    failing.delete(key);
    schedules.fired(schedule, now);
  };

  return {
    fireDue: async (now) => {
      const due = schedules.all().filter(({ next, definition }) => next <= now && definition.State === "ENABLED");
      await Promise.all(due.map((schedule) => fire(schedule, now)));
    },
  };
};

import { randomId } from "../domain/access/identity.ts";
import { instantAt } from "../domain/instant.ts";
import {
  claimAttempt,
  afterFailure,
  afterGivingUp,
  maxAttempts,
  type AttemptDecision,
} from "../domain/monitors/attempts.ts";
import type { Monitor } from "../domain/monitors/monitor.ts";
import { faultFields, logLine } from "../log.ts";
import type { FiringMessage } from "../queue/firing-message.ts";
import { isOutage } from "../dynamo/failure.ts";
import type { Monitors } from "../store/monitors/monitors.ts";

/** Milliseconds after a scheduled instant in which attempts that fail because DynamoDB is unavailable are not counted. */
const outageMilliseconds = 3_600_000;

/** Max concurrent firings of a monitor, by scope. Scope `changed` allows one, since each firing starts from the watermark of the last. */
const maxConcurrency = { all: 3, changed: 1 } as const satisfies Record<Monitor["settings"]["scope"], number>;

/** Result of an attempt at a firing. */
type Attempt<Result> =
  | { readonly kind: "done"; readonly result: Result }
  /** Another worker is firing the instant, or the monitor is deleted: nothing to do. */
  | { readonly kind: "in progress" }
  /** The instant is not retried; `reason` is for users. `failure` is the error of the last attempt if it was made just now, else null. */
  | { readonly kind: "given up"; readonly reason: string; readonly failure: unknown };

const exhaustedMessage =
  `Given up: ${maxAttempts} attempts at this firing failed or did not end in time. ` +
  "If others fail, too, narrow the monitor's filters.";

const restingMessage = ({ failed: times, until }: Extract<AttemptDecision, { kind: "resting" }>): string =>
  `Not tried: the last ${times} attempts at firing this monitor failed or did not end in time. ` +
  `It is tried again after ${instantAt(until)}.`;

/**
 * Counts attempts at firing monitors. Each attempt is recorded before it starts, so that one that kills its worker counts
 * too. After three attempts the instant is given up and the monitor pauses, each time twice as long, to free the workers.
 */
export const firingAttempts = (monitors: Pick<Monitors, "change">, now: () => number) => {
  const claimFiring = async ({ project, monitor: id, scheduledAt }: FiringMessage) => {
    let claim: AttemptDecision | undefined;
    const by = randomId();
    const storedMonitor = await monitors.change(project, id, (current) => {
      const width = maxConcurrency[current.settings.scope];
      claim = claimAttempt(current.attempts, { instant: scheduledAt, by, now: now(), concurrency: width });
      if (claim.kind !== "begun" || claim.attempts === current.attempts) return current;
      return { ...current, attempts: claim.attempts };
    });
    return storedMonitor === null || claim === undefined ? null : { monitor: storedMonitor.monitor, claim };
  };

  return {
    /**
     * Runs `work` as one attempt at a firing, if another attempt is allowed. @param work receives the current monitor.
     *
     * @throws the error of `work` unless it was the last attempt, and Error when too many firings of the monitor are in
     * progress: in both cases SQS delivers the message again.
     */
    run: async <Result>(
      message: FiringMessage,
      work: (monitor: Monitor) => Promise<Result>,
    ): Promise<Attempt<Result>> => {
      const { project, monitor: id, scheduledAt } = message;
      const claimResult = await claimFiring(message);
      if (claimResult === null) return { kind: "in progress" };
      const { monitor, claim } = claimResult;
      if (claim.kind === "under way") return { kind: "in progress" };
      if (claim.kind === "crowded") throw new Error("Other firings of the monitor are under way.");
      if (claim.kind === "exhausted") return { kind: "given up", reason: exhaustedMessage, failure: null };
      if (claim.kind === "resting") return { kind: "given up", reason: restingMessage(claim), failure: null };
      try {
        return { kind: "done", result: await work(monitor) };
      } catch (error) {
        const isCounted = !isOutage(error) || now() > scheduledAt + outageMilliseconds;
        const withFailure = (current: Monitor): Monitor => ({
          ...current,
          attempts: afterFailure(current.attempts, scheduledAt, now(), isCounted),
        });
        // An attempt whose failure cannot be recorded counts as failed once its claim expires.
        await monitors
          .change(project, id, withFailure)
          .catch((recordError: unknown) => logLine("attempt_not_noted", faultFields(recordError)));
        if (!isCounted || !claim.isLast) throw error;
        return { kind: "given up", reason: exhaustedMessage, failure: error };
      }
    },
  };
};

/** Returns the monitor with an instant marked as given up in its attempts. */
export const afterGivingUpInstant = (monitor: Monitor, instant: number): Monitor => ({
  ...monitor,
  attempts: afterGivingUp(monitor.attempts, instant),
});

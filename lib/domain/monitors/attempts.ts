/** Attempts to fire a monitor for one scheduled instant that has not succeeded yet. */
interface InstantAttempts {
  /** The scheduled instant, epoch milliseconds. */
  readonly instant: number;
  /** Number of attempts, including a running one. */
  readonly made: number;
  /** Id of the SQS delivery of the last attempt; a retried write of the same delivery has the same id. */
  readonly by: string;
  /** Latest possible end of the last attempt, epoch milliseconds. */
  readonly until: number;
}

/** A request of a worker to attempt a firing. */
export interface ClaimRequest {
  readonly instant: number;
  /** Random id of the SQS delivery. */
  readonly by: string;
  readonly now: number;
  /** Maximum number of firings of the monitor that run at the same time. */
  readonly concurrency: number;
}

/** Attempts to fire a monitor. An attempt is recorded before it begins, since it may crash its worker. */
export interface Attempts {
  readonly trials: readonly InstantAttempts[];
  /** Attempts since the last success, including running ones. */
  readonly unproven: number;
  /** Latest possible end of the most recent attempt, epoch milliseconds. */
  readonly last: number;
}

/** Decision if an SQS delivery may attempt a firing. */
export type AttemptDecision =
  | { readonly kind: "begun"; readonly attempts: Attempts; readonly isLast: boolean }
  /** Another worker is processing the same firing; SQS redelivers the message if that worker crashes. */
  | { readonly kind: "under way" }
  /** Too many other firings of the monitor are running. */
  | { readonly kind: "crowded" }
  /** The firing was already attempted `maxAttempts` times. */
  | { readonly kind: "exhausted" }
  /** Recent attempts failed too often: no attempt is made before `until`, epoch milliseconds. */
  | { readonly kind: "resting"; readonly failed: number; readonly until: number };

/** Maximum number of attempts for one scheduled instant. */
export const maxAttempts = 3;

/**
 * Maximum duration of an attempt in milliseconds: the worker's 180 s plus clock skew. SQS redelivers a message after
 * 200 s.
 */
export const attemptMilliseconds = 190_000;

/**
 * Backoff of a monitor after three failed attempts in a row, in milliseconds; each further failure doubles it, up to
 * three hours. Shorter than any named cadence.
 */
const initialBackoff = 3 * 60_000;
const maxBackoff = 3 * 3_600_000;

/** Milliseconds for which the attempts of an abandoned instant are stored. */
const retention = 86_400_000;
/** Maximum number of scheduled instants whose attempts are stored. */
const maxTrials = 100;

const noAttempts: Attempts = { trials: [], unproven: 0, last: 0 };

const countRunning = ({ trials }: Attempts, now: number): number => trials.filter(({ until }) => until > now).length;

const withoutInstant = ({ trials }: Attempts, instant: number): readonly InstantAttempts[] =>
  trials.filter((trial) => trial.instant !== instant);

/** Decides if the firing of an instant may be attempted, and records the attempt. */
export const claimAttempt = (
  attempts: Attempts = noAttempts,
  { instant, by, now, concurrency }: ClaimRequest,
): AttemptDecision => {
  const ownTrial = attempts.trials.find((trial) => trial.instant === instant);
  if (ownTrial?.by === by) return { kind: "begun", attempts, isLast: ownTrial.made === maxAttempts };
  if (ownTrial !== undefined && ownTrial.until > now) return { kind: "under way" };
  if (ownTrial !== undefined && ownTrial.made >= maxAttempts) return { kind: "exhausted" };
  const runningCount = countRunning(attempts, now);
  const failed = attempts.unproven - runningCount;
  if (ownTrial === undefined && failed >= maxAttempts) {
    const until = attempts.last + Math.min(maxBackoff, initialBackoff * 2 ** (failed - maxAttempts));
    if (now < until) return { kind: "resting", failed, until };
  }
  if (runningCount >= concurrency) return { kind: "crowded" };
  const until = now + attemptMilliseconds;
  const attemptCount = (ownTrial?.made ?? 0) + 1;
  const otherTrials = withoutInstant(attempts, instant).filter((trial) => trial.until + retention > now);
  return {
    kind: "begun",
    isLast: attemptCount === maxAttempts,
    attempts: {
      trials: [...otherTrials.slice(1 - maxTrials), { instant, made: attemptCount, by, until }],
      unproven: attempts.unproven + 1,
      last: until,
    },
  };
};

/** Returns the attempts after a successful firing, which resets the count of failures. */
export const afterSuccess = (attempts: Attempts | undefined, instant: number, now: number): Attempts | undefined => {
  if (attempts === undefined) return undefined;
  const trials = withoutInstant(attempts, instant);
  if (trials.length === attempts.trials.length) return attempts;
  const remaining = { trials, unproven: countRunning({ ...attempts, trials }, now), last: attempts.last };
  return trials.length === 0 ? undefined : remaining;
};

/**
 * Returns the attempts after a failed attempt that did not crash its worker.
 *
 * @param isCounted false if an outage of another service caused the failure, which then does not count as an attempt.
 */
export const afterFailure = (
  attempts: Attempts = noAttempts,
  instant: number,
  now: number,
  isCounted: boolean,
): Attempts => {
  const trials = attempts.trials.flatMap((trial) => {
    if (trial.instant !== instant) return [trial];
    const attemptCount = isCounted ? trial.made : trial.made - 1;
    return attemptCount === 0 ? [] : [{ ...trial, made: attemptCount, until: now }];
  });
  return {
    trials,
    unproven: Math.max(0, attempts.unproven - (isCounted ? 0 : 1)),
    last: isCounted ? now : attempts.last,
  };
};

/** Returns the attempts after the firing of an instant was given up. */
export const afterGivingUp = (attempts: Attempts = noAttempts, instant: number): Attempts => ({
  ...attempts,
  trials: withoutInstant(attempts, instant),
});

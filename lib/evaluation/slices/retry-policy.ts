/** Deliveries without progress after which the unsettled pairs of a slice fail, unless its provider is unavailable. */
export const maxFruitlessDeliveries = 5;

/** Deferred judgements in one delivery after which no further judgement starts. */
export const maxDeferrals = 3;

/** Longest time that a slice waits for an unavailable provider. */
const maxUnavailableMilliseconds = 24 * 3_600_000;

/** Pause of a slice after its first delivery without progress; it doubles with each further one. */
const firstPauseMilliseconds = 30_000;

/** Longest pause of a slice after deliveries without progress. */
const maxPauseMilliseconds = 15 * 60_000;

/** True if a provider has been unavailable for more than 24 hours. @param since start of the outage, epoch milliseconds; null if there is none. */
export const isProviderUnavailableTooLong = (since: number | null, now: number): boolean =>
  since !== null && now - since > maxUnavailableMilliseconds;

/**
 * Computes the next attempt at a slice, epoch milliseconds: after a second if there was progress, else with exponential backoff,
 * and never before the time that the provider requested.
 *
 * @param fruitless deliveries without progress, this one included.
 * @param retryAfter pauses that the provider requested, milliseconds.
 */
export const nextAttemptAt = (
  now: number,
  hasProgressed: boolean,
  fruitless: number,
  retryAfter: readonly number[],
): number => {
  const pause = hasProgressed
    ? 1_000
    : Math.min(firstPauseMilliseconds * 2 ** Math.max(0, fruitless - 1), maxPauseMilliseconds);
  return now + Math.max(pause, ...retryAfter);
};

/**
 * Longest pause, in milliseconds, that a slice keeps its SQS message. For a longer pause the message is dropped, and the sweeper
 * sends a new one, because SQS limits the receives and the age of a message.
 */
export const maxMessageDelay = 5 * 60_000;

/** Pause of a slice between two attempts. */
export interface SlicePause {
  /** Earliest next attempt, epoch milliseconds. */
  readonly until: number;
  /** True if the SQS message is dropped and the sweeper sends a new one. */
  readonly asleep: boolean;
}

/**
 * Computes the pause of a slice until its next attempt. A slice that drops its message pauses for at least five minutes, which
 * is the interval at which the sweeper checks runs without a scheduled check.
 *
 * @param at earliest next attempt, epoch milliseconds.
 * @param returnsUntil last instant at which the message may be delivered again, epoch milliseconds.
 */
export const pauseUntil = (at: number, now: number, returnsUntil: number): SlicePause =>
  at - now <= maxMessageDelay && at < returnsUntil
    ? { until: at, asleep: false }
    : { until: Math.max(at, now + maxMessageDelay), asleep: true };

/** Milliseconds before the deadline after which no judgement starts: a judge call and its retry must end in time. */
export const startReserve = 80_000;

/** Milliseconds reserved for the last commit: an unanswered DynamoDB request times out after 10 s. */
export const commitReserve = 15_000;

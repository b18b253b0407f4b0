/** Deliveries without progress after which a slice's unsettled pairs are given up, unless it is its provider that is away. */
export const maxFruitless = 5;

/** Judgements a provider may put off in one delivery before no more are begun. */
export const maxDeferrals = 3;

const maxAway = 24 * 3_600_000;
const firstPause = 30_000;
const maxPause = 15 * 60_000;

/** Whether a provider has been away for longer than a run waits. @param since epoch milliseconds, null: it is not away. */
export const providerGivenUp = (since: number | null, now: number): boolean => since !== null && now - since > maxAway;

/**
 * When a slice is to be tried again: at once after progress, else twice as late each time, and never before the
 * provider asked for it.
 *
 * @param fruitless deliveries without progress, this one included.
 * @param retryAfter what the provider asked for, in milliseconds.
 */
export const nextTry = (now: number, progressed: boolean, fruitless: number, retryAfter: readonly number[]): number => {
  const pause = progressed ? 1_000 : Math.min(firstPause * 2 ** Math.max(0, fruitless - 1), maxPause);
  return now + Math.max(pause, ...retryAfter);
};

/**
 * What waits for longer gives its message up and is sent again by the sweeper: SQS forgets a message after so many receives
 * and days, however healthy what it stands for is.
 */
export const longestWithMessage = 5 * 60_000;

/** How a slice waits. */
export interface Rest {
  /** Epoch milliseconds before which it is not tried again. */
  readonly until: number;
  /** Whether its message is given up. */
  readonly asleep: boolean;
}

/**
 * How a slice waits that is to be tried again then. Who gives a message up does so for five minutes at least: the sweeper
 * looks that often at what it has no instant of.
 *
 * @param returnsUntil until when its message may come back, epoch milliseconds.
 */
export const restUntil = (at: number, now: number, returnsUntil: number): Rest =>
  at - now <= longestWithMessage && at < returnsUntil
    ? { until: at, asleep: false }
    : { until: Math.max(at, now + longestWithMessage), asleep: true };

/** A judgement is only begun while its call, a retry included, can still end in time; in milliseconds. */
export const startReserve = 80_000;

/** Milliseconds kept for committing after the last call: a request to DynamoDB that is not answered ends after 10 s. */
export const commitReserve = 15_000;

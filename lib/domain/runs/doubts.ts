/** Attempts at one pair whose provider failed in a way of which nobody knows whether waiting helps. */
export interface Doubt {
  /** Attempts from the last one before the model answered about another pair; 1 without such an answer. */
  readonly attempts: number;
  /** End of the first of these attempts, epoch milliseconds. */
  readonly since: number;
  /** True if the same model answered about another pair since then, or in the attempt in which no other target failed. */
  readonly isAnswered: boolean;
}

/** Doubts about a slice's pairs by the pair's number in the slice. */
export type Doubts = ReadonlyMap<number, Doubt>;

/** Attempts after which a pair fails, if the model answers about other pairs. */
const maxAttempts = 5;

/** Most pairs of a slice with a doubt: others count their attempts from the start again. */
const maxDoubts = 200;

/** A pair that failed in a doubtful way. */
interface DoubtfulPair {
  readonly pair: number;
  /** True if its model answered about another pair since an instant. */
  readonly hasAnsweredSince: (instant: number) => boolean;
  /** True if its model answered about all other targets that it was asked about. Where several fail, an outage may have begun. */
  readonly isOnlyTarget: boolean;
}

/**
 * Adds an attempt at a pair. Attempts before an answer are forgotten: an outage may have caused them, and may end with more of them.
 *
 * @param at end of the attempt, epoch milliseconds.
 */
const nextDoubt = (earlier: Doubt | undefined, { hasAnsweredSince, isOnlyTarget }: DoubtfulPair, at: number): Doubt => {
  if (earlier?.isAnswered === true) return { ...earlier, attempts: earlier.attempts + 1 };
  if (earlier !== undefined && hasAnsweredSince(earlier.since)) return { ...earlier, attempts: 2, isAnswered: true };
  return { attempts: 1, since: at, isAnswered: isOnlyTarget };
};

/**
 * Returns the doubts after a delivery: those about pairs that failed so again, and those about pairs that were not tried.
 *
 * @param isOpen true for a pair that is not settled.
 */
export const doubtsAfter = (
  earlier: Doubts,
  failed: readonly DoubtfulPair[],
  isOpen: (pair: number) => boolean,
  at: number,
): Doubts => {
  const doubts = new Map([...earlier].filter(([pair]) => isOpen(pair)));
  for (const failure of failed) {
    const doubt = earlier.get(failure.pair);
    if (doubt !== undefined || doubts.size < maxDoubts) doubts.set(failure.pair, nextDoubt(doubt, failure, at));
  }
  return doubts;
};

/** True if a pair has failed so often, while its model answered about others, that waiting does not help. */
export const isHopeless = (doubt: Doubt | undefined): boolean =>
  doubt !== undefined && doubt.attempts >= maxAttempts && doubt.isAnswered;

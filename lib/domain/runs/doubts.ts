/** Attempts at one pair whose provider failed in a way of which nobody knows whether waiting helps. */
export interface Doubt {
  readonly attempts: number;
  /** Instant of the first attempt, epoch milliseconds. */
  readonly since: number;
  /** True if the same model answered about another pair since then. */
  readonly isAnswered: boolean;
}

/** Doubts about a slice's pairs by the pair's number in the slice. */
export type Doubts = ReadonlyMap<number, Doubt>;

/** Attempts after which a pair fails, if the model answers about other pairs. */
const maxAttempts = 5;

/** Most pairs of a slice with a doubt: others count their attempts from the start again. */
const maxDoubts = 200;

/** Adds an attempt at a pair. @param at end of the attempt, epoch milliseconds. */
const nextDoubt = (earlier: Doubt | undefined, isAnswered: boolean, at: number): Doubt => ({
  attempts: (earlier?.attempts ?? 0) + 1,
  since: earlier?.since ?? at,
  isAnswered: isAnswered || earlier?.isAnswered === true,
});

/**
 * Returns the doubts after a delivery: those about pairs that failed so again, and those about pairs that were not tried.
 *
 * @param failed pairs that failed in a doubtful way, and whether their model answered about another pair since an instant.
 * @param isOpen true for a pair that is not settled.
 */
export const doubtsAfter = (
  earlier: Doubts,
  failed: readonly { readonly pair: number; readonly hasAnsweredSince: (instant: number) => boolean }[],
  isOpen: (pair: number) => boolean,
  at: number,
): Doubts => {
  const doubts = new Map([...earlier].filter(([pair]) => isOpen(pair)));
  for (const { pair, hasAnsweredSince } of failed) {
    const doubt = earlier.get(pair);
    if (doubt !== undefined || doubts.size < maxDoubts)
      doubts.set(pair, nextDoubt(doubt, hasAnsweredSince(doubt?.since ?? at), at));
  }
  return doubts;
};

/** True if a pair has failed so often, while its model answered about others, that waiting does not help. */
export const isHopeless = (doubt: Doubt | undefined): boolean =>
  doubt !== undefined && doubt.attempts >= maxAttempts && doubt.isAnswered;

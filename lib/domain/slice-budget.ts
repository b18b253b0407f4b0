/** What a worker may still spend on a slice of what was granted, judgements under way included. */
export interface SliceBudget {
  /** Begins a pair. @returns false when what was granted may not have enough for it: it must not be begun. */
  begin(): boolean;
  /** A pair that was begun has ended. @param cost US dollars; null when nobody knows, which counts as the estimate. */
  end(cost: number | null): void;
  /** Whether a pair was refused: the slice waits for its ceiling, not for a provider. */
  readonly exhausted: boolean;
}

/**
 * A budget of so many US dollars, each pair counted at its estimate until it has ended. A pair that cost more raises the
 * estimate of those that follow.
 */
export const sliceBudget = (granted: number, estimate: number): SliceBudget => {
  let spent = 0;
  let open = 0;
  let dearest = estimate;
  let exhausted = false;
  return {
    begin: () => {
      // A billionth of a dollar: sums of doubles must not refuse the last pair of a budget that was made for it.
      if (spent + (open + 1) * dearest > granted + 1e-9) {
        exhausted = true;
        return false;
      }
      open += 1;
      return true;
    },
    end: (cost) => {
      open -= 1;
      spent += cost ?? dearest;
      dearest = Math.max(dearest, cost ?? 0);
    },
    get exhausted() {
      return exhausted;
    },
  };
};

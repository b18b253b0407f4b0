/** Limits of one sweep of runs. */
export interface SweepLimits {
  /** Milliseconds after which no more work is started. */
  readonly milliseconds: number;
  /** Max slices read. */
  readonly reads: number;
  /** Max slices sent. */
  readonly sends: number;
}

/** Default limits: the sweeper runs every minute with a timeout of 120 s for all its tasks. */
export const sweepLimits: SweepLimits = { milliseconds: 60_000, reads: 50_000, sends: 10_000 };

/** The remaining part of a sweep's limits. */
export interface SweepBudget {
  /** Epoch milliseconds after which no more work is started. */
  readonly until: number;
  /** Takes a number of slice reads from the limit. @returns false, taking none, if fewer are left. */
  takeReads(slices: number): boolean;
  /** Takes up to a number of slice sends from the limit. @returns the number of slices that may be sent. */
  takeSends(slices: number): number;
}

export const sweepBudget = (limits: SweepLimits, now: () => number): SweepBudget => {
  let { reads, sends } = limits;
  return {
    until: now() + limits.milliseconds,
    takeReads: (slices) => {
      if (slices > reads) return false;
      reads -= slices;
      return true;
    },
    takeSends: (slices) => {
      const granted = Math.min(slices, sends);
      sends -= granted;
      return granted;
    },
  };
};

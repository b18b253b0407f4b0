/** How much one sweep does at most. */
export interface SweepLimits {
  /** Milliseconds after which nothing more is begun. */
  readonly milliseconds: number;
  /** Slices. */
  readonly reads: number;
  /** Slices. */
  readonly sends: number;
}

/** The sweeper comes every minute and has 120 s for all that it does. */
export const sweepLimits: SweepLimits = { milliseconds: 60_000, reads: 50_000, sends: 10_000 };

/** What is left for a sweep to do. */
export interface SweepRoom {
  /** Epoch milliseconds after which nothing more is begun. */
  readonly until: number;
  /** @returns whether so many slices may be read. */
  takeReads(slices: number): boolean;
  /** @returns how many of so many slices may be sent. */
  takeSends(slices: number): number;
}

export const sweepRoom = (limits: SweepLimits, now: () => number): SweepRoom => {
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

/** An instant that was begun and has not come to an end. */
interface Trial {
  /** The scheduled instant, epoch milliseconds. */
  readonly instant: number;
  /** Attempts, the one that is under way included. */
  readonly made: number;
  /** Who makes the last of them: its note may be written although the answer is lost. */
  readonly by: string;
  /** When that must have ended, epoch milliseconds. */
  readonly until: number;
}

/** What asks whether an attempt may be made. */
export interface Claimant {
  readonly instant: number;
  /** The delivery, at random. */
  readonly by: string;
  readonly now: number;
  /** Instants of the monitor at a time. */
  readonly width: number;
}

/** The attempts at firing a monitor. They are noted before they are made: a worker may die of one. */
export interface Attempts {
  readonly trials: readonly Trial[];
  /** Attempts since the last that succeeded, those under way included. */
  readonly unproven: number;
  /** When the last attempt of all must have ended, epoch milliseconds. */
  readonly last: number;
}

/** What becomes of a delivery. */
export type Claim =
  | { readonly kind: "begun"; readonly attempts: Attempts; readonly isLast: boolean }
  /** Another worker is at it, to which its own message comes back if it dies. */
  | { readonly kind: "under way" }
  /** Other instants of the monitor are under way, as many as may be at a time. */
  | { readonly kind: "crowded" }
  /** There were as many attempts as there may be. */
  | { readonly kind: "exhausted" }
  /** What was tried last has failed too often: nothing more is tried before an instant, epoch milliseconds. */
  | { readonly kind: "resting"; readonly failed: number; readonly until: number };

/** Attempts at one instant. */
export const mostAttempts = 3;

/** Milliseconds of an attempt: the worker's 180 s and the difference of two machines' clocks. A message comes back after 200 s. */
export const attemptMilliseconds = 190_000;

/**
 * How long a monitor of which three attempts have failed, one after the other, rests; each one more doubles it. Shorter than
 * any cadence in words.
 */
const firstRest = 3 * 60_000;
const longestRest = 3 * 3_600_000;

/** How long an instant that nobody came back to is remembered, and how many of them. */
const remembered = 86_400_000;
const mostTrials = 100;

const none: Attempts = { trials: [], unproven: 0, last: 0 };

const underWay = ({ trials }: Attempts, now: number): number => trials.filter(({ until }) => until > now).length;

const without = ({ trials }: Attempts, instant: number): readonly Trial[] =>
  trials.filter((trial) => trial.instant !== instant);

/** Whether an attempt at an instant may be made, and the attempts with it. */
export const claimOf = (attempts: Attempts = none, { instant, by, now, width }: Claimant): Claim => {
  const mine = attempts.trials.find((trial) => trial.instant === instant);
  if (mine?.by === by) return { kind: "begun", attempts, isLast: mine.made === mostAttempts };
  if (mine !== undefined && mine.until > now) return { kind: "under way" };
  if (mine !== undefined && mine.made >= mostAttempts) return { kind: "exhausted" };
  const busy = underWay(attempts, now);
  const failed = attempts.unproven - busy;
  if (mine === undefined && failed >= mostAttempts) {
    const until = attempts.last + Math.min(longestRest, firstRest * 2 ** (failed - mostAttempts));
    if (now < until) return { kind: "resting", failed, until };
  }
  if (busy >= width) return { kind: "crowded" };
  const until = now + attemptMilliseconds;
  const made = (mine?.made ?? 0) + 1;
  const others = without(attempts, instant).filter((trial) => trial.until + remembered > now);
  return {
    kind: "begun",
    isLast: made === mostAttempts,
    attempts: {
      trials: [...others.slice(1 - mostTrials), { instant, made, by, until }],
      unproven: attempts.unproven + 1,
      last: until,
    },
  };
};

/** Once an instant has come to something: what was tried before it is proved. */
export const succeeded = (attempts: Attempts | undefined, instant: number, now: number): Attempts | undefined => {
  if (attempts === undefined) return undefined;
  const trials = without(attempts, instant);
  if (trials.length === attempts.trials.length) return attempts;
  const left = { trials, unproven: underWay({ ...attempts, trials }, now), last: attempts.last };
  return trials.length === 0 ? undefined : left;
};

/** After an attempt of which its worker has not died. @param counts whether it is the firing's own fault. */
export const failed = (attempts: Attempts = none, instant: number, now: number, counts: boolean): Attempts => {
  const trials = attempts.trials.flatMap((trial) => {
    if (trial.instant !== instant) return [trial];
    const made = counts ? trial.made : trial.made - 1;
    return made === 0 ? [] : [{ ...trial, made, until: now }];
  });
  return { trials, unproven: Math.max(0, attempts.unproven - (counts ? 0 : 1)), last: counts ? now : attempts.last };
};

/** After an instant was given up. */
export const givenUp = (attempts: Attempts = none, instant: number): Attempts => ({
  ...attempts,
  trials: without(attempts, instant),
});

/** Seconds with one decimal, as `1.2 s`. */
export const inSeconds = (seconds: number): string => `${seconds.toFixed(1)} s`;

/** Dollars as a run tells its cost. */
export const inDollars = (cost: number | null): string =>
  cost === null ? "a cost that is not known" : `$${cost.toFixed(4)}`;

/** A number of things, as `1 trace` and `3 traces`. */
export const counted = (count: number, thing: string): string => `${count} ${thing}${count === 1 ? "" : "s"}`;

export const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;

/** Formats seconds with one decimal, such as `1.2 s`. */
export const inSeconds = (seconds: number): string => `${seconds.toFixed(1)} s`;

/** Formats a cost in US dollars; null is an unknown cost. */
export const inDollars = (cost: number | null): string => (cost === null ? "an unknown cost" : `$${cost.toFixed(4)}`);

/** Formats a count with its noun, such as `1 trace` or `3 traces`. */
export const withCount = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? "" : "s"}`;

export const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;

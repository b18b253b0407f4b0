const hour = 3_600_000;

const month = 30.4 * 24 * hour;

const intervals: Readonly<Record<string, number>> = { every_6h: 6 * hour, daily: 24 * hour, weekly: 168 * hour };

/**
 * Computes the number of firings of a cadence in a month.
 *
 * @param instants past firings and the next one, ISO 8601, from which the interval of a `cron:` cadence is estimated.
 * @returns null for a `cron:` cadence with fewer than two instants.
 */
export const monthlyFirings = (cadence: string, instants: readonly string[]): number | null => {
  const interval = intervals[cadence];
  if (interval !== undefined) return month / interval;
  const times = instants.map((instant) => Date.parse(instant)).toSorted((a, b) => a - b);
  const [first, last] = [times[0], times.at(-1)];
  if (first === undefined || last === undefined || last === first) return null;
  return month / ((last - first) / (times.length - 1));
};

/** Judge cost of a run in US dollars; null if unknown. */
interface RunCost {
  readonly cost: number | null;
}

/**
 * Estimates the monthly cost of a monitor in US dollars: mean cost of its runs times expected runs.
 *
 * @param share fraction of the firings that started a run.
 * @returns null without runs, or if the number of firings or the cost of a run is unknown.
 */
export const monthlySpend = (firings: number | null, runs: readonly RunCost[], share: number): number | null => {
  const costs = runs.flatMap(({ cost }) => cost ?? []);
  if (firings === null || costs.length === 0 || costs.length < runs.length) return null;
  return (costs.reduce((sum, cost) => sum + cost, 0) / costs.length) * firings * share;
};

/** Start of the calendar month of an instant in UTC, by which ceilings count too, epoch milliseconds. */
export const monthStart = (now: Date): number => Date.UTC(now.getUTCFullYear(), now.getUTCMonth());

const hour = 3_600_000;

const month = 30.4 * 24 * hour;

const gaps: Readonly<Record<string, number>> = { every_6h: 6 * hour, daily: 24 * hour, weekly: 168 * hour };

/**
 * How often a cadence fires in a month.
 *
 * @param instants of firings, past and next, for what a `cron:` says nothing of; null where they are fewer than two.
 */
export const firingsInMonth = (cadence: string, instants: readonly string[]): number | null => {
  const gap = gaps[cadence];
  if (gap !== undefined) return month / gap;
  const times = instants.map((instant) => Date.parse(instant)).toSorted((a, b) => a - b);
  const [first, last] = [times[0], times.at(-1)];
  if (first === undefined || last === undefined || last === first) return null;
  return month / ((last - first) / (times.length - 1));
};

interface Spent {
  readonly cost: number | null;
}

/** What a month comes to, in US dollars, if it goes on so: the mean of its runs, as often as firings made one. Null where it is not known. */
export const spendInMonth = (firings: number | null, runs: readonly Spent[], share: number): number | null => {
  const costs = runs.flatMap(({ cost }) => cost ?? []);
  if (firings === null || costs.length === 0 || costs.length < runs.length) return null;
  return (costs.reduce((sum, cost) => sum + cost, 0) / costs.length) * firings * share;
};

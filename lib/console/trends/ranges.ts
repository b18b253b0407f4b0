const day = 86_400_000;

const week = 7 * day;

/** Time ranges of the metrics page; at most 14 bars, so that each is wide enough for a click. */
export const ranges = {
  days: { title: "14 days", granularity: "day", step: day, bars: 14 },
  weeks: { title: "5 weeks", granularity: "week", step: week, bars: 5 },
  quarter: { title: "13 weeks", granularity: "week", step: week, bars: 13 },
} as const;

export type Range = (typeof ranges)[keyof typeof ranges];

/** Parses the URL's range; 14 days by default. */
export const parseRange = (name: string | undefined): Range =>
  name === "weeks" || name === "quarter" ? ranges[name] : ranges.days;

/** Returns the start of a range's first bar, in epoch milliseconds: midnight in UTC, for weeks on a Monday. */
export const rangeStart = ({ step, bars }: Range, now: number): number => {
  // The first of January 1970 was a Thursday.
  const shift = step === week ? 3 * day : 0;
  return Math.floor((now + shift) / step) * step - shift - (bars - 1) * step;
};

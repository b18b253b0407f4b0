const day = 86_400_000;

const week = 7 * day;

/** Ranges by what a bar stands for: more bars than 14 would be too narrow to be hit. */
export const ranges = {
  days: { title: "14 days", granularity: "day", step: day, bars: 14 },
  weeks: { title: "5 weeks", granularity: "week", step: week, bars: 5 },
  quarter: { title: "13 weeks", granularity: "week", step: week, bars: 13 },
} as const;

export type Range = (typeof ranges)[keyof typeof ranges];

/** The range that an address names. */
export const rangeOf = (name: string | undefined): Range =>
  name === "weeks" || name === "quarter" ? ranges[name] : ranges.days;

/** When the first bar begins, in milliseconds: at midnight in UTC, weeks on a Monday. */
export const beginOf = ({ step, bars }: Range, now: number): number => {
  // The first of January 1970 was a Thursday.
  const shift = step === week ? 3 * day : 0;
  return Math.floor((now + shift) / step) * step - shift - (bars - 1) * step;
};

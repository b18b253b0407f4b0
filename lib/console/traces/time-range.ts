/** Ranges of time relative to today, by their name in the URL. Days are those of the browser's time zone. */
export const timeRanges = {
  today: "Today",
  yesterday: "Yesterday",
  "7d": "Last 7 days",
  "30d": "Last 30 days",
} as const;

type TimeRange = keyof typeof timeRanges;

/** True if the URL's `range` is a relative range of time. */
export const isTimeRange = (text: string | undefined): text is TimeRange =>
  text !== undefined && Object.hasOwn(timeRanges, text);

/** Days before today at which a range starts. */
const daysBefore: Readonly<Record<TimeRange, number>> = { today: 0, yesterday: 1, "7d": 6, "30d": 29 };

/** Start of a day in the local time zone, ISO 8601; days of 23 and 25 hours included. */
const midnight = (now: Date, daysAgo: number): string =>
  new Date(now.getFullYear(), now.getMonth(), now.getDate() - daysAgo).toISOString();

/** Bounds of start times: inclusive and exclusive, ISO 8601. */
interface TimeBounds {
  readonly started_after?: string;
  readonly started_before?: string;
}

/** Returns the bounds that the URL's relative range has now, or else those that the URL names. */
export const timeBoundsOf = (query: Readonly<Record<string, string>>, now = new Date()): TimeBounds => {
  const { range, started_after: after, started_before: before } = query;
  if (!isTimeRange(range))
    return {
      ...(after !== undefined && { started_after: after }),
      ...(before !== undefined && { started_before: before }),
    };
  return {
    started_after: midnight(now, daysBefore[range]),
    ...(range === "yesterday" && { started_before: midnight(now, 0) }),
  };
};

const [hour, day, week] = [3_600_000, 86_400_000, 604_800_000];

/** Sizes of buckets with the longest window that has them. 1970 began on a Thursday, three days after a Monday. */
const sizes = {
  hour: { step: hour, shift: 0, longest: 8 * day },
  day: { step: day, shift: 0, longest: 200 * day },
  week: { step: week, shift: 3 * day, longest: Number.POSITIVE_INFINITY },
} as const;

/** Start of the range of analytics of all traces, which would else be the last seven days. */
export const allTime = "1970-01-01";

/** Bounds of start times: inclusive and exclusive, ISO 8601. */
interface TimeBounds {
  readonly started_after?: string;
  readonly started_before?: string;
}

/** Window of start times and its buckets, as the service cuts them. */
export interface TimeWindow extends Required<TimeBounds> {
  readonly granularity: keyof typeof sizes;
  /** Length of a bucket in milliseconds. */
  readonly step: number;
  /** Starts of the buckets, epoch milliseconds, ascending. */
  readonly times: readonly number[];
}

type UrlQuery = Readonly<Record<string, string>>;

/** Returns the start of the bucket with an instant, epoch milliseconds. */
const bucketStart = (granularity: TimeWindow["granularity"], at: number): number => {
  const { step, shift } = sizes[granularity];
  return Math.floor((at + shift) / step) * step - shift;
};

/** Returns the window from one instant to another, epoch milliseconds. */
const windowBetween = (from: number, to: number, granularity: TimeWindow["granularity"]): TimeWindow => {
  const [{ step }, first] = [sizes[granularity], bucketStart(granularity, from)];
  return {
    started_after: new Date(from).toISOString(),
    started_before: new Date(to).toISOString(),
    granularity,
    step,
    times: Array.from({ length: Math.ceil((to - first) / step) }, (_, at) => first + at * step),
  };
};

const granularityOf = (length: number): TimeWindow["granularity"] =>
  length <= sizes.hour.longest ? "hour" : length <= sizes.day.longest ? "day" : "week";

/** Number of whole buckets that end with the current one. */
interface RollingRange {
  readonly title: string;
  readonly granularity: TimeWindow["granularity"];
  readonly count: number;
}

/** Returns the window of a rolling range. @param now epoch milliseconds. */
export const rollingWindow = ({ granularity, count }: RollingRange, now: number): TimeWindow => {
  const { step } = sizes[granularity];
  const to = bucketStart(granularity, now) + step;
  return windowBetween(to - count * step, to, granularity);
};

/** Ranges of the dashboard, by their name in the address. */
export const dashboardRanges = {
  "24h": { title: "24 hours", granularity: "hour", count: 24 },
  "7d": { title: "7 days", granularity: "hour", count: 168 },
  "30d": { title: "30 days", granularity: "day", count: 30 },
} as const satisfies Readonly<Record<string, RollingRange>>;

/** Ranges of the page of metrics; at most 14 buckets, so that each is wide enough for a click. */
export const trendRanges = {
  days: { title: "14 days", granularity: "day", count: 14 },
  weeks: { title: "5 weeks", granularity: "week", count: 5 },
  quarter: { title: "13 weeks", granularity: "week", count: 13 },
} as const satisfies Readonly<Record<string, RollingRange>>;

/** Ranges of lists with the days before today at which they start. Days are those of the browser's time zone. */
export const listRanges = {
  today: { title: "Today", daysBefore: 0 },
  yesterday: { title: "Yesterday", daysBefore: 1 },
  "7d": { title: "Last 7 days", daysBefore: 6 },
  "30d": { title: "Last 30 days", daysBefore: 29 },
} as const;

/** Returns the URL's range if it is one of these; undefined for another one. */
export const rangeIn = <Ranges extends object>(
  ranges: Ranges,
  { range }: UrlQuery,
): (keyof Ranges & string) | undefined => {
  const isName = (name: string): name is keyof Ranges & string => Object.hasOwn(ranges, name);
  return range !== undefined && isName(range) ? range : undefined;
};

/** Start of a day in the local time zone, ISO 8601; days of 23 and 25 hours included. */
const midnight = (now: Date, daysAgo: number): string =>
  new Date(now.getFullYear(), now.getMonth(), now.getDate() - daysAgo).toISOString();

/** Returns the bounds that the URL's range of a list has now, or else those that the URL names. */
export const timeBoundsOf = (query: UrlQuery, now = new Date()): TimeBounds => {
  const range = rangeIn(listRanges, query);
  const { started_after: after, started_before: before } = query;
  if (range === undefined)
    return {
      ...(after !== undefined && { started_after: after }),
      ...(before !== undefined && { started_before: before }),
    };
  return {
    started_after: midnight(now, listRanges[range].daysBefore),
    ...(range === "yesterday" && { started_before: midnight(now, 0) }),
  };
};

/** Max buckets of the chart above a list, and the window of a project without traces. */
const [maxBars, emptyLength] = [260, 60 * hour];

/**
 * Returns the window of the chart above a list: its buckets cover the list's bounds.
 *
 * @param oldest start of the first trace, for bounds without a start; null if there is none. @param now epoch milliseconds.
 */
export const listWindowOf = (
  { started_after: after, started_before: before }: { readonly [Name in keyof TimeBounds]: string | undefined },
  oldest: number | null,
  now: number,
): TimeWindow => {
  const to = before === undefined ? now : Date.parse(before);
  const start = after === undefined ? (oldest ?? to - emptyLength) : Date.parse(after);
  const from = Math.min(start, to - hour);
  const granularity = granularityOf(to - from);
  const { step } = sizes[granularity];
  return windowBetween(Math.max(from, bucketStart(granularity, to) - (maxBars - 1) * step), to, granularity);
};

/** Starts of traces that the service accepts begin here. */
const firstStart = Date.UTC(2000);

const instantOf = (text: string | undefined, fallback: number, now: number): number => {
  const instant = Date.parse(text ?? "");
  return Number.isNaN(instant) ? fallback : Math.min(Math.max(instant, firstStart), now + week);
};

/**
 * Returns the window of the dashboard that the address names: a range, or two instants; 24 hours by default.
 *
 * @param now epoch milliseconds. @throws RangeError if the end is not after the start.
 */
export const dashboardWindowOf = (query: UrlQuery, now: number): TimeWindow => {
  const { started_after: after, started_before: before } = query;
  const range = rangeIn(dashboardRanges, query);
  if (range !== undefined || !isCustom(query)) return rollingWindow(dashboardRanges[range ?? "24h"], now);
  const end = instantOf(before, now, now);
  const begin = instantOf(after, end - week, now);
  if (begin >= end) throw new RangeError("The end of the window must be after its start.");
  return windowBetween(begin, end, granularityOf(end - begin));
};

/** True if the URL names instants instead of a range. */
export const isCustom = ({ range, started_after: after, started_before: before }: UrlQuery): boolean =>
  range === "custom" || after !== undefined || before !== undefined;

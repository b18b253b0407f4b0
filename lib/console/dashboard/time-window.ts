const hour = 3_600_000;
const day = 24 * hour;
const week = 7 * day;

/** Windows of time that end now, by their name in the address. */
export const presets = {
  "24h": { title: "24 hours", length: day },
  "7d": { title: "7 days", length: week },
  "30d": { title: "30 days", length: 30 * day },
} as const;

export type Preset = keyof typeof presets;

const isPreset = (name: string | undefined): name is Preset => name !== undefined && Object.hasOwn(presets, name);

/** Sizes of buckets with the longest window that has them. 1970 began on a Thursday, three days after a Monday. */
const sizes = [
  ["hour", hour, 0, 8 * day],
  ["day", day, 0, 200 * day],
  ["week", week, 3 * day, Number.POSITIVE_INFINITY],
] as const;

/** Window of start times and its buckets, as the service cuts them. */
export interface TimeWindow {
  /** Name of the preset; null for a window of two instants. */
  readonly preset: Preset | null;
  /** Start, inclusive, and end, exclusive, ISO 8601. */
  readonly started_after: string;
  readonly started_before: string;
  readonly granularity: (typeof sizes)[number][0];
  /** Length of a bucket in milliseconds. */
  readonly step: number;
  /** Starts of the buckets, epoch milliseconds, ascending. */
  readonly times: readonly number[];
}

/** Starts of traces that the service accepts begin here. */
const firstStart = Date.UTC(2000);

const instantOf = (text: string | undefined, fallback: number, now: number): number => {
  const instant = Date.parse(text ?? "");
  return Number.isNaN(instant) ? fallback : Math.min(Math.max(instant, firstStart), now + week);
};

/**
 * Returns the window that the address names: a preset, which ends with the current bucket, or two instants; 24 hours by default.
 *
 * @param now epoch milliseconds. @throws RangeError if the end is not after the start.
 */
export const timeWindowOf = (query: Readonly<Record<string, string>>, now: number): TimeWindow => {
  const { range, started_after: after, started_before: before } = query;
  const isCustom = !isPreset(range) && (range === "custom" || after !== undefined || before !== undefined);
  const preset = isCustom ? null : isPreset(range) ? range : "24h";
  const end = preset === null ? instantOf(before, now, now) : now;
  const begin = preset === null ? instantOf(after, end - week, now) : now - presets[preset].length;
  if (begin >= end) throw new RangeError("The end of the window must be after its start.");
  const [granularity, step, shift] = sizes.find(([, , , longest]) => end - begin <= longest) ?? sizes[2];
  const floor = (at: number): number => Math.floor((at + shift) / step) * step - shift;
  const to = preset === null ? end : floor(end) + step;
  const from = preset === null ? begin : to - presets[preset].length;
  const first = floor(from);
  return {
    preset,
    started_after: new Date(from).toISOString(),
    started_before: new Date(to).toISOString(),
    granularity,
    step,
    times: Array.from({ length: Math.ceil((to - first) / step) }, (_, at) => first + at * step),
  };
};

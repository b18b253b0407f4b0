import type { BarRequest } from "./list-kind.ts";

const [hour, day, week] = [3_600_000, 86_400_000, 604_800_000];

/** 1 January 1970 was a Thursday; weeks of the API start on Monday. */
const firstMonday = 4 * day;

/** Granularities with the longest range, in milliseconds, that is shown with them. */
const steps = [
  ["hour", hour, 0, 8 * day],
  ["day", day, 0, 200 * day],
  ["week", week, firstMonday, Number.POSITIVE_INFINITY],
] as const;

/** Max bars in a chart. */
const maxBars = 260;

/** Range without a start, for a project without traces. */
const emptyRange = 60 * hour;

/** Time range of a chart; times and the step, one bar, in milliseconds. */
export interface BarRange {
  readonly from: number;
  readonly to: number;
  readonly step: number;
  readonly granularity: BarRequest["granularity"];
}

/**
 * Returns the range of the bars that cover a list's window, in whole hours, days or weeks of UTC as the API has them.
 *
 * @param oldest start of the first trace, for a window without a start; null if there is none. @param now epoch milliseconds.
 */
export const barRangeOf = (
  {
    started_after: after,
    started_before: before,
  }: { readonly started_after?: string | undefined; readonly started_before?: string | undefined },
  oldest: number | null,
  now: number,
): BarRange => {
  const to = before === undefined ? now : Date.parse(before);
  const start = after === undefined ? (oldest ?? to - emptyRange) : Date.parse(after);
  const from = Math.min(start, to - hour);
  const [granularity, step, offset] = steps.find(([, , , longest]) => to - from <= longest) ?? steps[2];
  const floor = (at: number): number => Math.floor((at - offset) / step) * step + offset;
  return { from: Math.max(floor(from), floor(to) - (maxBars - 1) * step), to, step, granularity };
};

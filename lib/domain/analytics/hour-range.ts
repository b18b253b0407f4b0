import { hourNumber, hourOf, hourStart, hourText, type Hour } from "./bucket.ts";
import type { Instant } from "../instant.ts";

/** A part of one hour: `from` inclusive, `to` exclusive. */
export interface HourEdge {
  readonly hour: Hour;
  readonly from: Instant;
  readonly to: Instant;
}

/** A time range, split into whole hours and parts of hours. */
export interface HourRange {
  /** Start of the range, inclusive. */
  readonly from: Instant;
  /** End of the range, exclusive. */
  readonly to: Instant;
  /** Parts of hours at the ends of the range, at most two. */
  readonly edges: readonly HourEdge[];
  /** First and last hour that overlap the range. */
  readonly firstAndLast: readonly [Hour, Hour];
}

/** Splits a time range into hours; null if it is empty. */
export const hourRange = (from: Instant, to: Instant): HourRange | null => {
  if (from >= to) return null;
  const [first, end] = [hourOf(from), hourOf(to)];
  // A range that ends on the hour does not overlap the hour that begins there.
  const last = to === hourStart(end) ? hourText(hourNumber(end) - 1) : end;
  const isWhole = (hour: Hour): boolean => from <= hourStart(hour) && hour < end;
  const edges = [...new Set([first, last])]
    .filter((hour) => !isWhole(hour))
    .map((hour) => ({
      hour,
      from: hour === first ? from : hourStart(hour),
      to: hour === end ? to : hourStart(hourText(hourNumber(hour) + 1)),
    }));
  return { from, to, edges, firstAndLast: [first, last] };
};

/** True if an hour begins within the range. Hourly totals without exact times are counted only in that case. */
export const containsStart = ({ from, to }: HourRange, hour: Hour): boolean =>
  from <= hourStart(hour) && hourStart(hour) < to;

/** True if a whole hour lies within the range. */
export const containsHour = (range: HourRange, hour: Hour): boolean =>
  containsStart(range, hour) && !range.edges.some((edge) => edge.hour === hour);

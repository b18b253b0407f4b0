import { hourNumber, hourOf, hourStart, hourText, type Hour } from "./bucket.ts";
import type { Instant } from "../instant.ts";

/** A part of one hour, from an instant on and before another. */
export interface Edge {
  readonly hour: Hour;
  readonly from: Instant;
  readonly to: Instant;
}

/** A range of instants as the hours it is made of. */
export interface HourRange {
  /** Inclusive. */
  readonly from: Instant;
  /** Exclusive. */
  readonly to: Instant;
  /** Parts of hours, at the ends of the range: two at most. */
  readonly edges: readonly Edge[];
  /** The first and the last hour that the range touches. */
  readonly touched: readonly [Hour, Hour];
}

/** Splits a range; null when it is empty. */
export const hourRange = (from: Instant, to: Instant): HourRange | null => {
  if (from >= to) return null;
  const [first, end] = [hourOf(from), hourOf(to)];
  // A range that ends on the hour does not touch the hour that begins there.
  const last = to === hourStart(end) ? hourText(hourNumber(end) - 1) : end;
  const isWhole = (hour: Hour): boolean => from <= hourStart(hour) && hour < end;
  const edges = [...new Set([first, last])]
    .filter((hour) => !isWhole(hour))
    .map((hour) => ({
      hour,
      from: hour === first ? from : hourStart(hour),
      to: hour === end ? to : hourStart(hourText(hourNumber(hour) + 1)),
    }));
  return { from, to, edges, touched: [first, last] };
};

/** Whether an hour begins in the range. What is kept by hour only counts where its hour begins. */
export const beginsIn = ({ from, to }: HourRange, hour: Hour): boolean =>
  from <= hourStart(hour) && hourStart(hour) < to;

/** Whether an hour lies in the range from its beginning to its end. */
export const isWithin = (range: HourRange, hour: Hour): boolean =>
  beginsIn(range, hour) && !range.edges.some((edge) => edge.hour === hour);

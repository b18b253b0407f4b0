import { dayOf, endOfDay, epochOf, instantAt, type Instant } from "../instant.ts";
import { invalid } from "../refusal.ts";

/** Max UTC days of an export's range: each may have to be written. */
export const maxExportDays = 100;

/** Days of a range without a start. */
const defaultDays = 31;

const dayMilliseconds = 86_400_000;

/** A range of UTC days, both inclusive. */
interface ExportRange {
  readonly first: string;
  readonly last: string;
}

/**
 * Returns the UTC days of an export.
 *
 * @param place part of the request with the range: `body` or `query`.
 * @param from instant of the first day; 30 days before the last one if undefined.
 * @param to end of the range, exclusive; now if undefined.
 * @throws Refusal `invalid` for an empty range, and for one of more than 100 days.
 */
export const exportRange = (
  place: "body" | "query",
  from: Instant | undefined,
  to: Instant | undefined,
  now: number,
): ExportRange => {
  // A range that ends at midnight does not have the day that begins then.
  const last = dayOf(instantAt((to === undefined ? now : epochOf(to)) - 1));
  const first = from === undefined ? dayOf(instantAt(endOfDay(last) - defaultDays * dayMilliseconds)) : dayOf(from);
  if (first > last) throw invalid([place, "started_before"], "started_before must be after started_after.");
  if (endOfDay(last) - endOfDay(first) >= maxExportDays * dayMilliseconds)
    throw invalid(
      [place, "started_after"],
      `An export has at most ${maxExportDays} days. Send a request for each part of the range.`,
    );
  return { first, last };
};

import { epochOf, type Instant, instantAt } from "../instant.ts";

const week = 7 * 86_400_000;

/** Milliseconds into the future that the default range extends, since clients' clocks may be ahead. */
const clockTolerance = 86_400_000;

/**
 * Returns the time range of an analytics request: the last seven days unless the query says otherwise.
 *
 * @param now epoch milliseconds.
 */
export const analyticsRangeOf = (
  query: { readonly started_after?: Instant | undefined; readonly started_before?: Instant | undefined },
  now: number,
): readonly [from: Instant, to: Instant] => {
  const to = query.started_before ?? instantAt(now + clockTolerance);
  const end = query.started_before === undefined ? now : epochOf(query.started_before);
  return [query.started_after ?? instantAt(Math.max(end - week, yearOne)), to];
};

/** The earliest representable instant, epoch milliseconds. */
const yearOne = Date.parse("0001-01-01T00:00:00Z");

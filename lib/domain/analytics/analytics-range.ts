import { epochOf, type Instant, instantAt } from "../instant.ts";

const week = 7 * 86_400_000;

/** Traces that started a moment ago count, on whatever clock. */
const ahead = 86_400_000;

/** From when to when figures are told: the last seven days where nobody says. */
export const analyticsRangeOf = (
  asked: { readonly started_after?: Instant | undefined; readonly started_before?: Instant | undefined },
  now: number,
): readonly [from: Instant, to: Instant] => {
  const to = asked.started_before ?? instantAt(now + ahead);
  const end = asked.started_before === undefined ? now : epochOf(asked.started_before);
  return [asked.started_after ?? instantAt(Math.max(end - week, yearOne)), to];
};

/** The first instant that there is, epoch milliseconds. */
const yearOne = Date.parse("0001-01-01T00:00:00Z");

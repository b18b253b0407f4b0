import { hourOf, hourStart, type Hour } from "./bucket.ts";
import type { TraceRow } from "../traces/row.ts";
import { contributionsOf, type Contribution } from "../traces/totals.ts";
import type { Span } from "../traces/trace.ts";
import type { Instant } from "../instant.ts";

/** What is looked at of a row. */
export type SpannedTrace = Pick<TraceRow, "firstSpanAt" | "lastSpanAt" | "contributions">;

/** The range of a trace's spans that one hour of them can lie in: its first and last span cut the hour at its ends. */
const spread = (hour: Hour, first: Instant, last: Instant): readonly [Instant, Instant] => [
  hourOf(first) === hour ? first : hourStart(hour),
  hourOf(last) === hour ? last : `${hour}:59:59.999999+00:00`,
];

/**
 * What the spans of a trace used that started from `from` on and before `to`, as far as its row tells.
 *
 * @returns null when only the document tells: the row adds up by hour, and an end of the range lies between the trace's
 *   spans of one hour, or the row does not hold the sums.
 */
export const usageWithin = (row: SpannedTrace, from: Instant, to: Instant): readonly Contribution[] | null => {
  const { firstSpanAt: first, lastSpanAt: last, contributions } = row;
  if (first === null || last === null || last < from || first >= to) return [];
  if (contributions === null) return null;
  const within: Contribution[] = [];
  for (const contribution of contributions) {
    const [earliest, latest] = spread(contribution.hour, first, last);
    if (latest < from || earliest >= to) continue;
    if (earliest < from || latest >= to) return null;
    within.push(contribution);
  }
  return within;
};

/** The same, from all spans of the trace. */
export const usageOfSpans = (spans: readonly Span[], from: Instant, to: Instant): readonly Contribution[] =>
  contributionsOf(spans, ({ started_at: at }) => at >= from && at < to);

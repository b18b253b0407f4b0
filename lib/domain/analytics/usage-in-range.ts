import { hourOf, hourStart, type Hour } from "./bucket.ts";
import type { TraceRow } from "../traces/row.ts";
import { contributionsOf, type Contribution } from "../traces/totals.ts";
import type { Span } from "../traces/trace.ts";
import type { Instant } from "../instant.ts";

/** Fields of a trace row from which the trace's usage in a time range is computed. */
export type RowUsageFields = Pick<TraceRow, "firstSpanAt" | "lastSpanAt" | "contributions">;

/**
 * Returns the earliest and the latest possible start of the spans that started in one hour, given the trace's first and
 * last span.
 */
const possibleStarts = (hour: Hour, first: Instant, last: Instant): readonly [Instant, Instant] => [
  hourOf(first) === hour ? first : hourStart(hour),
  hourOf(last) === hour ? last : `${hour}:59:59.999999+00:00`,
];

/**
 * Computes the usage of a trace's spans that started in a time range (`from` inclusive, `to` exclusive) from the
 * trace's row alone.
 *
 * @returns null if the document has to be read: a bound of the range lies between spans of the same hour, or the row
 * has no hourly usage.
 */
export const usageWithin = (row: RowUsageFields, from: Instant, to: Instant): readonly Contribution[] | null => {
  const { firstSpanAt: first, lastSpanAt: last, contributions } = row;
  if (first === null || last === null || last < from || first >= to) return [];
  if (contributions === null) return null;
  const contributionsInRange: Contribution[] = [];
  for (const contribution of contributions) {
    const [earliest, latest] = possibleStarts(contribution.hour, first, last);
    if (latest < from || earliest >= to) continue;
    if (earliest < from || latest >= to) return null;
    contributionsInRange.push(contribution);
  }
  return contributionsInRange;
};

/** Computes the usage of the spans that started in a time range (`from` inclusive, `to` exclusive). */
export const usageOfSpans = (spans: readonly Span[], from: Instant, to: Instant): readonly Contribution[] =>
  contributionsOf(spans, ({ started_at: at }) => at >= from && at < to);

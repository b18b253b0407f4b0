import { jsonText } from "./shown-texts.ts";
import type { PlacedSpan } from "./span-order.ts";

/** Spans that do the same again and again. */
export interface Repetition {
  /** Indexes of the spans, from the first to the one after the last. */
  readonly from: number;
  readonly to: number;
  /** How many spans make a round. */
  readonly period: number;
}

/** A loop of an agent is a model's call and a tool's, sometimes with a step around them. */
const longestPeriod = 4;
/** Fewer rounds than this are shown. */
const fewestRounds = 5;
/** Of a span's input no more is compared. */
const compared = 2000;

const isFailed = ({ span }: PlacedSpan): boolean => span.status === "ERROR" || span.error !== null;

/** An input without what counts up: numbers, hex ids, case and spaces. */
const folded = ({ span }: PlacedSpan): string =>
  jsonText(span.input)
    .slice(0, compared)
    .toLowerCase()
    .replace(/[0-9a-f]{8}-[0-9a-f-]{27}|\b[0-9a-f]*\d[0-9a-f]*\b|\d+/gu, "0")
    .replace(/\s+/gu, " ");

const callOf = (placed: PlacedSpan): string =>
  `${placed.span.kind} ${placed.span.name} ${placed.span.status} ${placed.parent ?? ""} ${folded(placed)}`;

/**
 * Where spans repeat each other: the same call, or the same few calls in turn, one round after the other, with the same input but
 * for what counts up. None that failed, and none that `keeps` is true of, is in one.
 */
export const repetitionsIn = (
  spans: readonly PlacedSpan[],
  keeps: (span: PlacedSpan) => boolean,
): readonly Repetition[] => {
  const calls = spans.map((span) => (isFailed(span) || keeps(span) ? null : callOf(span)));
  const found: Repetition[] = [];
  let from = 0;
  while (from < spans.length) {
    let best = { period: 0, to: from };
    for (let period = 1; period <= longestPeriod; period += 1) {
      let to = from + period;
      if (calls.slice(from, to).includes(null)) break;
      while (to < spans.length && calls[to] !== null && calls[to] === calls[to - period]) to += 1;
      to -= (to - from) % period;
      if (to - from >= period * fewestRounds && to > best.to) best = { period, to };
    }
    if (best.period === 0) from += 1;
    else {
      found.push({ from, ...best });
      from = best.to;
    }
  }
  return found;
};

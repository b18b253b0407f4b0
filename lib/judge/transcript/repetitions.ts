import { jsonText } from "./shown-texts.ts";
import type { NumberedSpan } from "./span-order.ts";

/** A run of spans that repeats the same call, or the same few calls in turn. */
export interface Repetition {
  /** Index of the first span. */
  readonly from: number;
  /** Index after the last span. */
  readonly to: number;
  /** Number of spans in one round. */
  readonly period: number;
}

/** Maximum spans of a round: an agent's loop is a model call and a tool call, sometimes with a step around them. */
const maxPeriod = 4;
/** Minimum rounds of a repetition. */
const minRounds = 5;
/** Characters of a span's input that are compared. */
const maxComparedLength = 2000;

const isFailed = ({ span }: NumberedSpan): boolean => span.status === "ERROR" || span.error !== null;

/** Returns a span's input without the parts that change from round to round: numbers, hex ids, case and spaces. */
const normalisedInput = ({ span }: NumberedSpan): string =>
  jsonText(span.input)
    .slice(0, maxComparedLength)
    .toLowerCase()
    .replace(/[0-9a-f]{8}-[0-9a-f-]{27}|\b[0-9a-f]*\d[0-9a-f]*\b|\d+/gu, "0")
    .replace(/\s+/gu, " ");

const callOf = (numberedSpan: NumberedSpan): string =>
  `${numberedSpan.span.kind} ${numberedSpan.span.name} ${numberedSpan.span.status} ${numberedSpan.parent ?? ""} ${normalisedInput(numberedSpan)}`;

/**
 * Finds the repetitions of a trace: consecutive rounds of the same calls with the same inputs apart from numbers and ids. Failed
 * spans, and spans for which `keeps` is true, are never part of one.
 */
export const repetitionsIn = (
  spans: readonly NumberedSpan[],
  keeps: (span: NumberedSpan) => boolean,
): readonly Repetition[] => {
  const calls = spans.map((span) => (isFailed(span) || keeps(span) ? null : callOf(span)));
  const repetitions: Repetition[] = [];
  let from = 0;
  while (from < spans.length) {
    let longest = { period: 0, to: from };
    for (let period = 1; period <= maxPeriod; period += 1) {
      let to = from + period;
      if (calls.slice(from, to).includes(null)) break;
      while (to < spans.length && calls[to] !== null && calls[to] === calls[to - period]) to += 1;
      to -= (to - from) % period;
      if (to - from >= period * minRounds && to > longest.to) longest = { period, to };
    }
    if (longest.period === 0) from += 1;
    else {
      repetitions.push({ from, ...longest });
      from = longest.to;
    }
  }
  return repetitions;
};

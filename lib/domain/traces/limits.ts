import { instantAt, type Instant } from "../instant.ts";
import { Refusal } from "../refusal.ts";

/** Maximum number of keys in one JSON object of a request. */
export const maxObjectKeys = 10_000;

/** Maximum number of spans of a trace; one more if its root arrives last (see `hasTooManySpans`). */
export const maxTraceSpans = 10_000;
/** Maximum number of spans of a trace that `fields=auto` answers with their content. */
export const maxSpansWithContent = 400;
/** Maximum size of a trace as JSON, in bytes. */
export const maxTraceBytes = 32 * 1024 * 1024;

/** Maximum number of tags of a trace. */
export const maxTraceTags = 100;

export const tooManySpansDetail = `A trace has at most ${maxTraceSpans} spans.`;

export const tooManySpans = (): Refusal => new Refusal({ kind: "too-large", detail: tooManySpansDetail });

/** Allowed start times of traces in requests; stored traces are not affected. */
export interface StartBounds {
  readonly from: Instant;
  /** Maximum hours ahead of the service's clock, to allow for clock skew and wrong time zones. */
  readonly aheadHours: number;
}

export const defaultStartBounds: StartBounds = { from: "2000-01-01T00:00:00+00:00", aheadHours: 24 };

/**
 * Returns the error message for the start of a trace; null if it is allowed.
 *
 * @param now epoch milliseconds.
 */
export const startFlaw = (at: Instant, { from, aheadHours }: StartBounds, now: number): string | null => {
  if (at < from) return `A trace may start from ${from} on.`;
  return at <= instantAt(now + aheadHours * 3_600_000)
    ? null
    : `A trace may start at most ${aheadHours} h ahead of the service's clock.`;
};

import { instantAt, type Instant } from "../instant.ts";
import { Refusal, invalid } from "../refusal.ts";
import { contributionsOf, totalTokens } from "./totals.ts";
import type { Trace } from "./trace.ts";

/** Maximum number of keys in one JSON object of a request. */
export const maxObjectKeys = 10_000;

/** Maximum number of spans of a trace. */
export const maxTraceSpans = 10_000;
/** Maximum size of a trace as JSON, in bytes. */
export const maxTraceBytes = 32 * 1024 * 1024;

/** Maximum number of tags of a trace. */
export const maxTraceTags = 100;

export const tooManySpans = (): Refusal =>
  new Refusal({ kind: "too-large", detail: `A trace has at most ${maxTraceSpans} spans.` });

/** True if the sum of tokens exceeds the largest integer that JSON numbers hold exactly. */
const hasTooManyTokens = ({ spans }: Trace): boolean => totalTokens(contributionsOf(spans)) > Number.MAX_SAFE_INTEGER;

/**
 * Checks the limits of a trace after a change.
 *
 * @throws Refusal `too-large` above 10,000 spans or 32 MiB of JSON; `invalid` above 100 tags, or 2^53 - 1 tokens.
 */
export const checkTraceLimits = (trace: Trace): void => {
  if (trace.tags.length > maxTraceTags)
    throw invalid(["body", "tags"], `A trace has at most ${maxTraceTags} tags.`, "too_many_tags");
  if (trace.spans.length > maxTraceSpans) throw tooManySpans();
  if (hasTooManyTokens(trace))
    throw invalid(["body", "spans"], `A trace has at most ${Number.MAX_SAFE_INTEGER} tokens.`, "too_many_tokens");
  if (Buffer.byteLength(JSON.stringify(trace)) > maxTraceBytes) {
    throw new Refusal({ kind: "too-large", detail: "A trace has at most 32 MiB." });
  }
};

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

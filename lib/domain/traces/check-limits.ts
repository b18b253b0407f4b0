import { sizeOfJson } from "../json-size.ts";
import { invalid, Refusal } from "../refusal.ts";
import { maxTraceBytes, maxTraceSpans, maxTraceTags, tooManySpans } from "./limits.ts";
import { isTelemetryTrace, topSpansOf } from "./telemetry.ts";
import { contributionsOf, totalTokens } from "./totals.ts";
import type { Trace } from "./trace.ts";

/** True if the sum of tokens exceeds the largest integer that JSON numbers hold exactly. */
const hasTooManyTokens = ({ spans }: Trace): boolean => totalTokens(contributionsOf(spans)) > Number.MAX_SAFE_INTEGER;

/**
 * True if a change gives a trace more spans than it may have. A root that arrives last is always accepted: without it
 * a trace of OpenTelemetry spans has no end, input and output.
 *
 * @param before number of spans before the change.
 */
export const hasTooManySpans = (count: number, before: number, addsRoot: boolean): boolean =>
  count > Math.max(before, maxTraceSpans + (addsRoot ? 1 : 0));

const hasRoot = ({ spans }: Trace): boolean => topSpansOf(spans).length > 0;

/**
 * Checks the limits of a trace after a change.
 *
 * @param before the trace before the change; null for a new one.
 * @throws Refusal `too-large` above 10,000 spans or 32 MiB of JSON (see `sizeOfJson`); `invalid` above 100 tags, or 2^53 - 1 tokens.
 */
export const checkTraceLimits = (trace: Trace, before: Trace | null = null): void => {
  if (trace.tags.length > maxTraceTags)
    throw invalid(["body", "tags"], `A trace has at most ${maxTraceTags} tags.`, "too_many_tags");
  const addsRoot =
    trace.spans.length > maxTraceSpans &&
    before !== null &&
    isTelemetryTrace(before) &&
    !hasRoot(before) &&
    hasRoot(trace);
  if (hasTooManySpans(trace.spans.length, before?.spans.length ?? 0, addsRoot)) throw tooManySpans();
  if (hasTooManyTokens(trace))
    throw invalid(["body", "spans"], `A trace has at most ${Number.MAX_SAFE_INTEGER} tokens.`, "too_many_tokens");
  if (sizeOfJson(JSON.stringify(trace)) > maxTraceBytes) {
    throw new Refusal({
      kind: "too-large",
      detail: "A trace has at most 32 MiB; each value in its JSON counts as 8 bytes or more.",
    });
  }
};

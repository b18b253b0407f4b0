import { invalid, Refusal } from "../refusal.ts";
import { maxTraceBytes, maxTraceSpans, maxTraceTags, tooManySpans } from "./limits.ts";
import { contributionsOf, totalTokens } from "./totals.ts";
import type { Trace } from "./trace.ts";

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

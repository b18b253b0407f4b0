import { invalid, Refusal } from "../refusal.ts";
import { maxBytes, maxSpans, maxTags, tooManySpans } from "./limits.ts";
import { contributionsOf, totalTokens } from "./totals.ts";
import type { Trace } from "./trace.ts";

/** A sum that an integer of JSON cannot say exactly. */
const hasTooManyTokens = ({ spans }: Trace): boolean => totalTokens(contributionsOf(spans)) > Number.MAX_SAFE_INTEGER;

/**
 * Checks what a trace has become.
 *
 * @param before what it was: one that had more tokens then, of an earlier version, may have them.
 * @throws Refusal `too-large` above 10,000 spans or 32 MiB of JSON; `invalid` above 100 tags, or 2^53 - 1 tokens.
 */
export const checkTraceLimits = (trace: Trace, before: Trace | null = null): void => {
  if (trace.tags.length > maxTags)
    throw invalid(["body", "tags"], `A trace has at most ${maxTags} tags.`, "too_many_tags");
  if (trace.spans.length > maxSpans) throw tooManySpans();
  if (hasTooManyTokens(trace) && (before === null || !hasTooManyTokens(before)))
    throw invalid(["body", "spans"], `A trace has at most ${Number.MAX_SAFE_INTEGER} tokens.`, "too_many_tokens");
  if (Buffer.byteLength(JSON.stringify(trace)) > maxBytes) {
    throw new Refusal({ kind: "too-large", detail: "A trace has at most 32 MiB." });
  }
};

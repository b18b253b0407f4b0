import { invalid, Refusal } from "../refusal.ts";
import type { Trace } from "./trace.ts";

/** Keys that one object may have. */
export const mostKeys = 10_000;

export const maxSpans = 10_000;
export const maxBytes = 32 * 1024 * 1024;

/** Tags that a trace may have. */
export const maxTags = 100;

export const tooManySpans = (): Refusal =>
  new Refusal({ kind: "too-large", detail: `A trace has at most ${maxSpans} spans.` });

/**
 * Checks what a trace has become.
 *
 * @throws Refusal `too-large` above 10,000 spans or 32 MiB of JSON; `invalid` above 100 tags.
 */
export const checkTraceLimits = (trace: Trace): void => {
  if (trace.tags.length > maxTags)
    throw invalid(["body", "tags"], `A trace has at most ${maxTags} tags.`, "too_many_tags");
  if (trace.spans.length > maxSpans) throw tooManySpans();
  if (Buffer.byteLength(JSON.stringify(trace)) > maxBytes) {
    throw new Refusal({ kind: "too-large", detail: "A trace has at most 32 MiB." });
  }
};

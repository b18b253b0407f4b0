import { Refusal } from "../refusal.ts";

/** Keys that one object may have. */
export const mostKeys = 10_000;

export const maxSpans = 10_000;
export const maxBytes = 32 * 1024 * 1024;

/** Tags that a trace may have. */
export const maxTags = 100;

export const tooManySpans = (): Refusal =>
  new Refusal({ kind: "too-large", detail: `A trace has at most ${maxSpans} spans.` });

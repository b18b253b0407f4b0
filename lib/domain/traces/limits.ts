import { Refusal } from "../refusal.ts";

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

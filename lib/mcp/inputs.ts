import * as v from "valibot";

/** Schemas of arguments that several tools have. */

export const withDescription = <Schema extends v.GenericSchema>(schema: Schema, description: string) =>
  v.pipe(schema, v.description(description));

const id = v.pipe(v.string(), v.minLength(1), v.maxLength(200));
export const traceId = withDescription(id, "Id of the trace.");
export const spanId = withDescription(id, "Id of the span, as show_trace lists it.");
export const experimentId = withDescription(id, "Id of an experiment.");
export const runId = withDescription(id, "Id of a run.");
export const word = v.pipe(v.string(), v.minLength(1), v.maxLength(1_000));
export const wordList = v.pipe(v.array(word), v.minLength(1), v.maxLength(50));
export const cursor = withDescription(
  v.optional(v.pipe(v.string(), v.maxLength(4_000))),
  "Cursor of the answer before.",
);

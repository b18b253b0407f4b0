import * as v from "valibot";

export const withDescription = <Schema extends v.GenericSchema>(schema: Schema, description: string) =>
  v.pipe(schema, v.description(description));

const id = v.pipe(v.string(), v.minLength(1), v.maxLength(200));
export const traceId = withDescription(id, "Id of the trace.");
export const spanId = withDescription(id, "Id of the span, as show_trace lists it.");
export const experimentId = withDescription(id, "Id or name of an experiment, as `experiment` of its traces.");
export const runId = withDescription(id, "Id of a run.");
export const word = v.pipe(v.string(), v.minLength(1), v.maxLength(1_000));
export const wordList = v.pipe(v.array(word), v.minLength(1), v.maxLength(50));
export const cursor = withDescription(
  v.optional(v.pipe(v.string(), v.maxLength(4_000))),
  "Cursor of the answer before.",
);

const optionalWord = v.optional(word);

/** Filters of traces, which must all match. `failed` is `has_failed_span` of the interface. */
export const filterEntries = {
  failed: withDescription(
    v.optional(v.boolean()),
    "True: only traces with an error or a failed span. False: only others.",
  ),
  q: withDescription(optionalWord, 'Words that all occur in inputs, outputs and errors; "phrases" in quotation marks.'),
  score: withDescription(v.optional(wordList), "Conditions on scores, such as `task_completion<0.5`, `helpful=true`."),
  no_score: withDescription(v.optional(wordList), "Names of metrics that have no score yet."),
  started_after: withDescription(optionalWord, "Instant in ISO 8601, 2026-11-21T09:00:00Z, inclusive."),
  started_before: withDescription(optionalWord, "Instant in ISO 8601, exclusive."),
  name: withDescription(optionalWord, "Part of the trace's name."),
  session_id: optionalWord,
  user_id: optionalWord,
  tags: withDescription(v.optional(wordList), "Any of these tags."),
  environment: optionalWord,
  release: optionalWord,
  model: optionalWord,
  tool: withDescription(optionalWord, "Name of a tool that was called."),
  experiment: withDescription(optionalWord, "Name of an experiment."),
  first_error: withDescription(optionalWord, "The first_error of a trace, exactly."),
};

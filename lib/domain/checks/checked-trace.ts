import type { Json } from "../json.ts";
import type { Trace } from "../traces/trace.ts";
import type { TextPart } from "./check.ts";

/** A tool call found in a trace. */
export interface CheckedCall {
  readonly name: string;
  /** Id of the span that reports the call; empty if there is none. */
  readonly spanId: string;
  readonly error: string | null;
}

/** The input of a check: a trace and its tool calls. */
export interface CheckedTrace {
  readonly trace: Trace;
  /** Expected output of the dataset's item that the trace ran; null without one. */
  readonly expectedOutput: Json;
  /** Returns the tool calls in order; computed only if a condition needs them. */
  readonly calls: () => readonly CheckedCall[];
}

/** A span that a finding refers to. */
export interface SpanReference {
  readonly id: string;
  readonly name: string;
}

/** A value and the span that contains it; the span is null for a value of the trace itself. */
export interface LocatedValue {
  readonly value: Json;
  readonly span: SpanReference | null;
}

/** Returns the values that a condition examines. @param name name of the spans to examine; null for all spans. */
export const valuesOf = (
  { trace: { input, output, spans }, expectedOutput }: CheckedTrace,
  of: TextPart,
  name: string | null,
): readonly LocatedValue[] => {
  if (of === "output") return [{ value: output, span: null }];
  if (of === "input") return [{ value: input, span: null }];
  if (of === "expected_output") return [{ value: expectedOutput, span: null }];
  return spans
    .filter((span) => name === null || span.name === name)
    .map((span) => ({
      value: of === "span_outputs" ? span.output : span.input,
      span: { id: span.span_id, name: span.name },
    }));
};

/** Converts a value to text: null becomes empty, values other than strings become JSON. */
export const checkedText = (value: Json): string => {
  if (value === null) return "";
  return typeof value === "string" ? value : JSON.stringify(value);
};

import type { Json } from "../json.ts";
import type { Trace } from "../traces/trace.ts";
import type { TextPart } from "./check.ts";

/** A call of a tool, as the trace tells it. */
export interface CheckedCall {
  readonly name: string;
  /** Of the span that tells of it; empty where there is none. */
  readonly spanId: string;
  readonly error: string | null;
}

/** What a check looks at. */
export interface CheckedTrace {
  readonly trace: Trace;
  /** In order; looked at where a condition asks for them. */
  readonly calls: () => readonly CheckedCall[];
}

/** A span that a finding is about. */
export interface FoundSpan {
  readonly id: string;
  readonly name: string;
}

/** A value of a trace, and the span it stands in; null: the trace itself. */
export interface PlacedValue {
  readonly value: Json;
  readonly span: FoundSpan | null;
}

/** The values that a condition is about. @param name of spans; null: all of them. */
export const valuesOf = (
  { input, output, spans }: Trace,
  of: TextPart,
  name: string | null,
): readonly PlacedValue[] => {
  if (of === "output") return [{ value: output, span: null }];
  if (of === "input") return [{ value: input, span: null }];
  return spans
    .filter((span) => name === null || span.name === name)
    .map((span) => ({
      value: of === "span_outputs" ? span.output : span.input,
      span: { id: span.span_id, name: span.name },
    }));
};

/** A value as a text: null is none, what is no text is its JSON. */
export const textOf = (value: Json): string => {
  if (value === null) return "";
  return typeof value === "string" ? value : JSON.stringify(value);
};

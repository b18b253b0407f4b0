import { isObject, type Json } from "../../domain/json.ts";
import type { Span } from "../../domain/traces/trace.ts";

/** A tool call that a model's reply requests. */
export interface RequestedCall {
  /** Id of the call; empty if the reply has none. */
  readonly id: string;
  readonly name: string;
  readonly parameters: Json;
}

const callIdKey = "gen_ai.tool.call.id";

/** Returns the id of the tool call from a span's telemetry attributes; empty if there is none. */
const callIdOf = ({ metadata }: Span): string => {
  const attributes = metadata["otel.attributes"];
  const id = metadata[callIdKey] ?? (isObject(attributes) ? attributes[callIdKey] : undefined);
  return typeof id === "string" ? id : "";
};

/** Returns a value as text, since numbers and booleans are often recorded as text. */
const textOf = (value: Json): string => (typeof value === "string" ? value : JSON.stringify(value));

/** True if a call's named arguments fit the span's input, which has no names: it is null or the value of the only argument. */
const areNamesOf = (parameters: Json, spanInput: Json): boolean => {
  if (!isObject(parameters)) return false;
  if (spanInput === null) return true;
  const [value, ...furtherValues] = Object.values(parameters);
  return value !== undefined && furtherValues.length === 0 && textOf(value) === textOf(spanInput);
};

/**
 * Creates a function that returns a tool span's arguments. If the span's input has no argument names, they come from the model's
 * request: the call with the span's call id, or else the next call of the tool. Each requested call is used for one span.
 */
export const namedArguments = (requested: readonly RequestedCall[]): ((span: Span) => Json) => {
  const unusedCalls = new Set(requested);
  return (span) => {
    const { name, input } = span;
    const id = callIdOf(span);
    const byId = id === "" ? undefined : requested.find((call) => call.id === id);
    const call =
      byId ?? [...unusedCalls].find((candidate) => candidate.name === name && (id === "" || candidate.id === ""));
    if (call === undefined) return input;
    unusedCalls.delete(call);
    return !isObject(input) && !Array.isArray(input) && areNamesOf(call.parameters, input) ? call.parameters : input;
  };
};

import { isObject, type Json } from "../../domain/json.ts";
import type { Span } from "../../domain/traces/trace.ts";

/** A call that a model's reply asks for. */
export interface RequestedCall {
  /** Empty where the reply tells none. */
  readonly id: string;
  readonly name: string;
  readonly parameters: Json;
}

const callIdKey = "gen_ai.tool.call.id";

/** The id of the call that a tool's span is of, as telemetry tells it; empty where it tells none. */
const callIdOf = ({ metadata }: Span): string => {
  const aside = metadata["otel.attributes"];
  const id = metadata[callIdKey] ?? (isObject(aside) ? aside[callIdKey] : undefined);
  return typeof id === "string" ? id : "";
};

/** Numbers and words are often told as text. */
const textOf = (value: Json): string => (typeof value === "string" ? value : JSON.stringify(value));

/** Whether arguments with names are the same as what a span tells without them: nothing, or the one value. */
const areNamesOf = (parameters: Json, told: Json): boolean => {
  if (!isObject(parameters)) return false;
  if (told === null) return true;
  const [value, ...others] = Object.values(parameters);
  return value !== undefined && others.length === 0 && textOf(value) === textOf(told);
};

/**
 * Gives what tools were called with, the names of arguments from the model's calls where a span tells none: each call is of one
 * span, found by its id or else in order of its name.
 */
export const namedArguments = (requested: readonly RequestedCall[]): ((span: Span) => Json) => {
  const left = new Set(requested);
  return (span) => {
    const { name, input } = span;
    const id = callIdOf(span);
    const byId = id === "" ? undefined : requested.find((call) => call.id === id);
    const call = byId ?? [...left].find((each) => each.name === name && (id === "" || each.id === ""));
    if (call === undefined) return input;
    left.delete(call);
    return !isObject(input) && !Array.isArray(input) && areNamesOf(call.parameters, input) ? call.parameters : input;
  };
};

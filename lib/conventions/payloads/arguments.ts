import { isObject, type Json, type JsonObject } from "../../domain/json.ts";
import { isList } from "../attributes/embedded-json.ts";

const isEmpty = (value: Json | undefined): boolean =>
  value === undefined || value === null || (typeof value === "object" && Object.keys(value).length === 0);

/** True if every key of an object is in `names`. */
const hasOnly = (value: JsonObject, names: readonly string[]): boolean =>
  Object.keys(value).every((name) => names.includes(name));

/** Keys that LangChain's callbacks add beside the input or output of a step. */
const callbackKeys = ["input_str", "tags", "metadata", "kwargs"];

/**
 * Unwraps the arguments of a function from the objects in which decorators and callbacks record them: `args` and `kwargs`, or
 * `inputs` beside tags and metadata. A value without such a wrapper is returned unchanged.
 */
export const argumentsIn = (value: Json): Json => {
  if (!isObject(value)) return value;
  const { args, kwargs, inputs } = value;
  if (inputs !== undefined && hasOnly(value, ["inputs", ...callbackKeys])) return inputs;
  if (!isObject(kwargs) || !hasOnly(value, ["args", "kwargs"])) return value;
  if (isEmpty(args)) return kwargs;
  if (!isList(args)) return value;
  if (!isEmpty(kwargs)) return value;
  return args.length === 1 ? (args[0] ?? null) : args;
};

/** Unwraps the result of a function from `output` or `outputs`; a value without such a wrapper is returned unchanged. */
export const resultIn = (value: Json): Json => {
  if (!isObject(value)) return value;
  const { output, outputs = output } = value;
  return outputs !== undefined && hasOnly(value, ["output", "outputs", "kwargs"]) ? outputs : value;
};

import type { Json, JsonObject } from "../../domain/json.ts";
import { isList, isObject } from "../reader.ts";

const isEmpty = (value: Json | undefined): boolean =>
  value === undefined || value === null || (typeof value === "object" && Object.keys(value).length === 0);

/** Whether an object has no entries but some. */
const hasOnly = (value: JsonObject, names: readonly string[]): boolean =>
  Object.keys(value).every((name) => names.includes(name));

/** What LangChain's callbacks put beside the input or output of a step. */
const callback = ["input_str", "tags", "metadata", "kwargs"];

/**
 * What a function was given, out of what decorators and callbacks wrap it in: `args` and `kwargs`, `inputs` beside tags and
 * metadata. The same value where there is no wrapping.
 */
export const argumentsIn = (value: Json): Json => {
  if (!isObject(value)) return value;
  const { args, kwargs, inputs } = value;
  if (inputs !== undefined && hasOnly(value, ["inputs", ...callback])) return inputs;
  if (!isList(args) || !isObject(kwargs) || !hasOnly(value, ["args", "kwargs"])) return value;
  if (args.length === 0) return kwargs;
  if (!isEmpty(kwargs)) return value;
  return args.length === 1 ? (args[0] ?? null) : args;
};

/** What a function gave back, out of the same wrapping. */
export const resultIn = (value: Json): Json => {
  if (!isObject(value)) return value;
  const { output, outputs = output } = value;
  return outputs !== undefined && hasOnly(value, ["output", "outputs", "kwargs"]) ? outputs : value;
};

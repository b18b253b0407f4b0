import { isObject, type Json } from "../../domain/json.ts";

const spaced = (value: Json): string => {
  if (Array.isArray(value)) return `[${value.map((item: Json) => spaced(item)).join(", ")}]`;
  if (!isObject(value)) return JSON.stringify(value);
  const entries = Object.entries(value).map(([key, item]) => `${JSON.stringify(key)}: ${spaced(item)}`);
  return `{${entries.join(", ")}}`;
};

/** A trace's input or output as the text that is compared: nothing is empty, a string is itself, the rest is spaced JSON. */
export const textForm = (value: Json): string => {
  if (value === null) return "";
  return typeof value === "string" ? value : spaced(value);
};

import { isObject, type Json } from "../../domain/json.ts";

const spacedJson = (value: Json): string => {
  if (Array.isArray(value)) return `[${value.map((item: Json) => spacedJson(item)).join(", ")}]`;
  if (!isObject(value)) return JSON.stringify(value);
  const entries = Object.entries(value).map(([key, item]) => `${JSON.stringify(key)}: ${spacedJson(item)}`);
  return `{${entries.join(", ")}}`;
};

/** Converts an input or output to a text for comparison: null becomes "", strings stay, other values become spaced JSON. */
export const textForm = (value: Json): string => {
  if (value === null) return "";
  return typeof value === "string" ? value : spacedJson(value);
};

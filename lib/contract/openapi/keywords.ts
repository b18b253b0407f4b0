import type { JsonSchema } from "../json-schema.ts";

/** A validation of a pipe. */
export interface Validation {
  readonly type: string;
  readonly requirement?: unknown;
  readonly message?: unknown;
}

const lengthKeyword = (bound: "min" | "max", type: JsonSchema["type"], requirement: unknown): JsonSchema => {
  const unit = type === "array" ? "Items" : type === "object" ? "Properties" : "Length";
  return bound === "min" && requirement === 0 ? {} : { [`${bound}${unit}`]: requirement };
};

const pattern = (requirement: unknown): JsonSchema | null =>
  requirement instanceof RegExp && /^[uv]?$/u.test(requirement.flags) ? { pattern: requirement.source } : null;

/**
 * What a validation is in JSON Schema.
 *
 * @param type of the values it applies to.
 * @returns null when only words can say it.
 */
export const keywordsOf = ({ type, requirement }: Validation, of: JsonSchema["type"]): JsonSchema | null => {
  switch (type) {
    case "min_length":
    case "min_entries":
      return lengthKeyword("min", of, requirement);
    case "max_length":
    case "max_entries":
      return lengthKeyword("max", of, requirement);
    case "length":
      return { ...lengthKeyword("min", of, requirement), ...lengthKeyword("max", of, requirement) };
    case "non_empty":
      return lengthKeyword("min", of, 1);
    case "min_value":
      return { minimum: Number(requirement) };
    case "max_value":
      return { maximum: Number(requirement) };
    case "gt_value":
      return { exclusiveMinimum: Number(requirement) };
    case "lt_value":
      return { exclusiveMaximum: Number(requirement) };
    case "multiple_of":
      return { multipleOf: Number(requirement) };
    case "integer":
    case "safe_integer":
      return { type: "integer" };
    // JSON has no number that is not finite.
    case "finite":
      return {};
    case "uuid":
      return { format: "uuid" };
    case "regex":
      return pattern(requirement);
    default:
      return null;
  }
};

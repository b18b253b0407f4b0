import type { JsonSchema } from "../schema/json-schema.ts";

/** A validation action of a valibot pipe. */
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
 * Converts a validation to JSON Schema keywords.
 *
 * @param valueType JSON Schema type of the validated values.
 * @returns null if JSON Schema has no keyword for the validation.
 */
export const keywordsOf = ({ type, requirement }: Validation, valueType: JsonSchema["type"]): JsonSchema | null => {
  switch (type) {
    case "min_length":
    case "min_entries":
      return lengthKeyword("min", valueType, requirement);
    case "max_length":
    case "max_entries":
      return lengthKeyword("max", valueType, requirement);
    case "length":
      return { ...lengthKeyword("min", valueType, requirement), ...lengthKeyword("max", valueType, requirement) };
    case "non_empty":
      return lengthKeyword("min", valueType, 1);
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
    // All JSON numbers are finite.
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

import type { Json, JsonObject } from "../../domain/json.ts";

/** Whether a value is an object with keys; a number kept as text (`JSON.rawJSON`) is none. */
export const isObject = (value: Json | undefined): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value) && !JSON.isRawJSON(value);

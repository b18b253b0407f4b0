import { isObject, type Json, type JsonObject } from "../../domain/json.ts";
import { jsonText } from "./value-text.ts";

/** Returns a parameter's type; its whole schema as JSON if that says more. */
const typeText = (schema: Json): string => {
  if (!isObject(schema)) return jsonText(schema);
  const { title: _, ...fields } = schema;
  const { type, ...otherFields } = fields;
  return typeof type === "string" && Object.keys(otherFields).length === 0 ? type : jsonText(fields);
};

const schemaFields = new Set(["$schema", "additionalProperties", "properties", "required", "title", "type"]);

/** Returns the parameters of a JSON schema as in a signature, optional ones with `?`; null for a schema that says more. */
const parametersText = (schema: Json): string | null => {
  if (schema === null) return "";
  if (!isObject(schema) || Object.keys(schema).some((key) => !schemaFields.has(key))) return null;
  const { properties = {}, required = [] } = schema;
  if (!isObject(properties)) return null;
  const requiredNames = new Set<Json>(Array.isArray(required) ? (required as readonly Json[]) : []);
  return Object.entries(properties)
    .map(([name, type]) => `${name}${requiredNames.has(name) ? "" : "?"}: ${typeText(type)}`)
    .join(", ");
};

const toolText = (tool: Json): Json => {
  if (!isObject(tool)) return tool;
  const { name, description, parameters, input_schema, inputSchema, ...otherFields } = isObject(tool["function"])
    ? tool["function"]
    : tool;
  const { type: _, strict: __, ...content } = otherFields;
  const text = parametersText(parameters ?? input_schema ?? inputSchema ?? null);
  if (typeof name !== "string" || text === null || Object.keys(content).length > 0) return tool;
  return `${name}(${text})${typeof description === "string" && description !== "" ? `: ${description}` : ""}`;
};

/**
 * Replaces tool definitions among model parameters by signatures, `search(query: string, limit?: integer): Searches the shop`.
 * Definitions that say more than a signature are kept.
 */
export const withToolSignatures = (parameters: JsonObject): JsonObject => {
  const { tools } = parameters;
  return Array.isArray(tools) ? { ...parameters, tools: (tools as readonly Json[]).map(toolText) } : parameters;
};

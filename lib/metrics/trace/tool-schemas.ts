import { isObject, type Json, type JsonObject } from "../../domain/json.ts";
import type { Trace } from "../../domain/traces/trace.ts";

/** Maximum nesting depth of tool definitions. */
const maxDepth = 6;

const schemaKeys = [
  "parameters",
  "input_schema",
  "inputSchema",
  "parameters_json_schema",
  "parametersJsonSchema",
  "json_schema",
  "schema",
];

const parseJson = (value: Json): Json => {
  if (typeof value !== "string" || !/^\s*[[{]/u.test(value)) return value;
  try {
    return JSON.parse(value);
  } catch {
    return value;
  }
};

/** Reads a tool definition in a model provider's form: name, description and parameter schema; null for other values. */
const definitionIn = (value: JsonObject): readonly [name: string, definition: JsonObject] | null => {
  const { name, description } = value;
  const key = schemaKeys.find((each) => isObject(parseJson(value[each] ?? null)));
  if (typeof name !== "string" || key === undefined) return null;
  const descriptionField = typeof description === "string" && description !== "" ? { description } : {};
  return [name, { ...descriptionField, parameters: parseJson(value[key] ?? null) }];
};

/** Names of tools to find, and the number of definitions that suffices. */
type ToolNames = Pick<ReadonlySet<string>, "has" | "size">;

const collectDefinitions = (source: Json, names: ToolNames, definitions: Map<string, Json>, depth = 0): void => {
  const value = parseJson(source);
  if (depth > maxDepth || typeof value !== "object" || value === null) return;
  if (Array.isArray(value)) {
    for (const item of value) collectDefinitions(item, names, definitions, depth + 1);
    return;
  }
  if (!isObject(value)) return;
  const definition = definitionIn(value);
  if (definition !== null) {
    const [name, fields] = definition;
    if (names.has(name) && !definitions.has(name)) definitions.set(name, fields);
    return;
  }
  for (const item of Object.values(value)) collectDefinitions(item, names, definitions, depth + 1);
};

/** Returns the tool definition in the attributes of a tool's span; null if there is none. */
const ownDefinition = (metadata: JsonObject): Json => {
  const at = (name: RegExp): Json => Object.entries(metadata).find(([key]) => name.test(key))?.[1] ?? null;
  const schema = parseJson(at(/(?:^|\.)tool\.(?:json_schema|parameters)$/u));
  const description = at(/(?:^|\.)tool\.description$/u);
  return isObject(schema) ? { ...(typeof description === "string" && { description }), parameters: schema } : null;
};

/** Finds the definitions of tools by name in a trace's model calls (parameters, metadata, input) and tool spans. */
export const toolSchemas = (trace: Trace, names: ToolNames): ReadonlyMap<string, Json> => {
  const definitions = new Map<string, Json>();
  for (const { kind, name, input, metadata, model_parameters } of trace.spans) {
    if (definitions.size === names.size) break;
    if (kind === "TOOL" && names.has(name) && !definitions.has(name)) {
      const definition = ownDefinition(metadata);
      if (definition !== null) definitions.set(name, definition);
    }
    collectDefinitions(model_parameters, names, definitions);
    collectDefinitions(metadata, names, definitions);
    if (isObject(input)) collectDefinitions(input["tools"] ?? input["functions"] ?? null, names, definitions);
  }
  return definitions;
};

/** True if a trace defines a tool that its agent could have called. */
export const definesTools = (trace: Trace): boolean => toolSchemas(trace, { has: () => true, size: 1 }).size > 0;

import { isObject, type Json, type JsonObject } from "../../domain/json.ts";
import type { Trace } from "../../domain/traces/trace.ts";

/** Definitions nest this deep at most. */
const deepest = 6;

const schemaKeys = [
  "parameters",
  "input_schema",
  "inputSchema",
  "parameters_json_schema",
  "parametersJsonSchema",
  "json_schema",
  "schema",
];

const parsed = (value: Json): Json => {
  if (typeof value !== "string" || !/^\s*[[{]/u.test(value)) return value;
  try {
    return JSON.parse(value);
  } catch {
    return value;
  }
};

/** A tool's name and what its definition says beside it, as the protocols of model providers write it; null for anything else. */
const definitionIn = (value: JsonObject): readonly [name: string, definition: JsonObject] | null => {
  const { name, description } = value;
  const key = schemaKeys.find((each) => isObject(parsed(value[each] ?? null)));
  if (typeof name !== "string" || key === undefined) return null;
  const said = typeof description === "string" && description !== "" ? { description } : {};
  return [name, { ...said, parameters: parsed(value[key] ?? null) }];
};

const collect = (given: Json, wanted: ReadonlySet<string>, found: Map<string, Json>, depth = 0): void => {
  const value = parsed(given);
  if (depth > deepest || typeof value !== "object" || value === null) return;
  if (Array.isArray(value)) {
    for (const item of value) collect(item, wanted, found, depth + 1);
    return;
  }
  if (!isObject(value)) return;
  const definition = definitionIn(value);
  if (definition !== null) {
    const [name, told] = definition;
    if (wanted.has(name) && !found.has(name)) found.set(name, told);
    return;
  }
  for (const item of Object.values(value)) collect(item, wanted, found, depth + 1);
};

/** What a tool's own span says of its definition. */
const ownDefinition = (metadata: JsonObject): Json => {
  const at = (part: string): Json =>
    Object.entries(metadata).find(([key]) => new RegExp(`(?:^|\\.)tool\\.${part}$`, "u").test(key))?.[1] ?? null;
  const [schema, description] = [parsed(at("(?:json_schema|parameters)")), at("description")];
  return isObject(schema) ? { ...(typeof description === "string" && { description }), parameters: schema } : null;
};

/** The definitions of some tools by name, as far as the trace holds them: with the models' calls that offer them, or at the tools' own spans. */
export const toolSchemas = (trace: Trace, names: ReadonlySet<string>): ReadonlyMap<string, Json> => {
  const found = new Map<string, Json>();
  for (const { kind, name, input, metadata, model_parameters } of trace.spans) {
    if (found.size === names.size) break;
    if (kind === "TOOL" && names.has(name) && !found.has(name)) {
      const own = ownDefinition(metadata);
      if (own !== null) found.set(name, own);
    }
    collect(model_parameters, names, found);
    collect(metadata, names, found);
    if (isObject(input)) collect(input["tools"] ?? input["functions"] ?? null, names, found);
  }
  return found;
};

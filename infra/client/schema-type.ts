import type { JsonSchema } from "../../lib/contract/schema/json-schema.ts";

/** Named schemas of the OpenAPI document. */
export type Schemas = Readonly<Record<string, JsonSchema>>;

/** Properties of an object type by name, each as text. */
export type Properties = ReadonlyMap<string, string>;

const oneLine = (text: string): string => text.replaceAll(/\s+/gu, " ").replaceAll("*/", "* /").trim();

/** Returns a one-line doc comment with a line break; an empty text without a description. */
export const commentOf = (text: string | undefined): string =>
  text === undefined || text === "" ? "" : `/** ${oneLine(text)} */\n`;

const quoted = (name: string): string => (/^[A-Za-z_$][\w$]*$/u.test(name) ? name : JSON.stringify(name));

const nameOf = (reference: string): string => reference.split("/").at(-1) ?? "";

/** Merges the parts of an `allOf` into one object schema; later definitions of a property win. */
const merged = (parts: readonly JsonSchema[], schemas: Schemas): JsonSchema => {
  const resolved = parts.map((part) => (part.$ref === undefined ? part : (schemas[nameOf(part.$ref)] ?? part)));
  return {
    type: "object",
    properties: Object.assign({}, ...resolved.map(({ properties }) => properties)),
    required: resolved.flatMap(({ required = [] }) => required),
  };
};

const primitives: Readonly<Record<string, string>> = {
  string: "string",
  integer: "number",
  number: "number",
  boolean: "boolean",
  null: "null",
};

const isUnion = (type: string): boolean => / [|&] /u.test(type);

/** Returns the TypeScript type of a JSON schema as unformatted text; references become names of generated types. */
export const typeOf = (schema: JsonSchema, schemas: Schemas): string => {
  const inner = (part: JsonSchema): string => typeOf(part, schemas);
  if (schema.$ref !== undefined) return nameOf(schema.$ref);
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum !== undefined) return schema.enum.map((value) => JSON.stringify(value)).join(" | ");
  if (schema.anyOf !== undefined) return [...new Set(schema.anyOf.map(inner))].join(" | ");
  if (schema.allOf !== undefined) return inner(merged(schema.allOf, schemas));
  const types = typeof schema.type === "string" ? [schema.type] : (schema.type ?? []);
  if (types.length === 0) return "unknown";
  const alternatives = types.map((type) => {
    if (type === "array") {
      const item = schema.items === undefined ? "unknown" : inner(schema.items);
      return `readonly ${isUnion(item) ? `(${item})` : item}[]`;
    }
    return type === "object" ? objectType(schema, schemas) : (primitives[type] ?? "unknown");
  });
  return alternatives.join(" | ");
};

/** Returns the properties of an object schema by name: the text of each with its comment. */
export const propertiesOf = ({ properties = {}, required = [] }: JsonSchema, schemas: Schemas): Properties =>
  new Map(
    Object.entries(properties).map(([name, property]) => {
      const type = typeOf(property, schemas);
      const optional = required.includes(name)
        ? `: ${type}`
        : `?: ${type === "unknown" ? type : `${type} | undefined`}`;
      const comment = [
        property.description,
        property.default === undefined ? undefined : `Default ${JSON.stringify(property.default)}.`,
      ]
        .filter((part) => part !== undefined)
        .join(" ");
      return [name, `${commentOf(comment)}readonly ${quoted(name)}${optional};`];
    }),
  );

/** Returns the text of an object type. The formatter keeps a text without line breaks in one line if it is short enough. */
export const objectText = (members: Iterable<string>): string => {
  const lines = [...members];
  const separator = lines.some((line) => line.includes("\n")) ? "\n" : " ";
  return ["{", ...lines, "}"].join(separator);
};

const objectType = (schema: JsonSchema, schemas: Schemas): string => {
  const { properties = {}, additionalProperties } = schema;
  if (Object.keys(properties).length > 0) return objectText(propertiesOf(schema, schemas).values());
  return `Readonly<Record<string, ${typeof additionalProperties === "object" ? typeOf(additionalProperties, schemas) : "unknown"}>>`;
};

/** Returns a schema as one object schema, with the parts of an `allOf` merged; null for any other type. */
export const objectSchema = (schema: JsonSchema, schemas: Schemas): JsonSchema | null => {
  if (schema.allOf !== undefined) return merged(schema.allOf, schemas);
  return schema.type === "object" && schema.properties !== undefined ? schema : null;
};

import type { JsonSchema } from "../../lib/contract/schema/json-schema.ts";

/** Named schemas of the OpenAPI document. */
export type Schemas = Readonly<Record<string, JsonSchema>>;

const oneLine = (text: string): string => text.replaceAll(/\s+/gu, " ").replaceAll("*/", "* /").trim();

/** Returns a one-line doc comment with a line break; an empty text without a description. */
export const commentOf = (text: string | undefined, indent: string): string =>
  text === undefined ? "" : `${indent}/** ${oneLine(text)} */\n`;

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

/** Returns the TypeScript type of a JSON schema as text; references become names of generated types. */
export const typeOf = (schema: JsonSchema, schemas: Schemas, indent = ""): string => {
  const inner = (part: JsonSchema): string => typeOf(part, schemas, indent);
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
    return type === "object" ? objectType(schema, schemas, indent) : (primitives[type] ?? "unknown");
  });
  return alternatives.join(" | ");
};

const objectType = (schema: JsonSchema, schemas: Schemas, indent: string): string => {
  const { properties = {}, required = [], additionalProperties } = schema;
  const names = Object.keys(properties);
  if (names.length === 0) {
    const value = typeof additionalProperties === "object" ? typeOf(additionalProperties, schemas, indent) : "unknown";
    return `Readonly<Record<string, ${value}>>`;
  }
  const deeper = `${indent}  `;
  const lines = names.map((name) => {
    const property = properties[name] ?? {};
    const type = typeOf(property, schemas, deeper);
    const optional = required.includes(name) ? `: ${type}` : `?: ${type === "unknown" ? type : `${type} | undefined`}`;
    const commentParts = [
      property.description,
      property.default === undefined ? undefined : `Default ${JSON.stringify(property.default)}.`,
    ];
    const comment = commentParts.filter((part) => part !== undefined).join(" ");
    return `${commentOf(comment === "" ? undefined : comment, deeper)}${deeper}readonly ${quoted(name)}${optional};`;
  });
  return `{\n${lines.join("\n")}\n${indent}}`;
};

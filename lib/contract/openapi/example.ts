import type { JsonSchema } from "../schema/json-schema.ts";
import { resolve, type OpenApiDocument } from "./openapi.ts";

type SchemaSource = Pick<OpenApiDocument, "components">;

const sampleText = ({ format, pattern }: JsonSchema): string => {
  if (format === "uuid") return "0b6c2f3e-6f0a-4f3e-9a53-1f8f6a1d2c01";
  return format === undefined && pattern === undefined ? "text" : "";
};

const objectOf = (document: SchemaSource, { properties = {}, required = [] }: JsonSchema): object =>
  Object.fromEntries(
    Object.entries(properties)
      .filter(([name, property]) => required.includes(name) || property.examples !== undefined)
      .map(([name, property]) => [name, exampleOf(document, property)]),
  );

const byType = (document: SchemaSource, schema: JsonSchema): unknown => {
  const type = [schema.type ?? "any"].flat()[0] ?? "any";
  switch (type) {
    case "string":
      return sampleText(schema);
    case "integer":
    case "number":
      return schema.minimum ?? 1;
    case "boolean":
      return true;
    case "array":
      return schema.items === undefined ? [] : [exampleOf(document, schema.items)];
    case "object":
      return objectOf(document, schema);
    case "null":
      return null;
    default:
      return "anything";
  }
};

/** Returns a value that matches a schema: its first example, or else a value built from the examples of its parts. */
export const exampleOf = (document: SchemaSource, schema: JsonSchema): unknown => {
  const resolved = resolve(document.components.schemas, schema);
  if (resolved.examples?.[0] !== undefined) return resolved.examples[0];
  if (resolved.default !== undefined) return resolved.default;
  if (resolved.const !== undefined) return resolved.const;
  if (resolved.enum !== undefined) return resolved.enum[0];
  if (resolved.allOf !== undefined)
    return Object.assign({}, ...resolved.allOf.map((part) => exampleOf(document, part)));
  if (resolved.anyOf?.[0] !== undefined) return exampleOf(document, resolved.anyOf[0]);
  return byType(document, resolved);
};

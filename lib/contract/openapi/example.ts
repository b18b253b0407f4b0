import type { JsonSchema } from "../json-schema.ts";
import { resolve, type OpenApiDocument } from "./openapi.ts";

type Known = Pick<OpenApiDocument, "components">;

const textOf = ({ format, pattern }: JsonSchema): string => {
  if (format === "uuid") return "0b6c2f3e-6f0a-4f3e-9a53-1f8f6a1d2c01";
  return format === undefined && pattern === undefined ? "text" : "";
};

const objectOf = (document: Known, { properties = {}, required = [] }: JsonSchema): object =>
  Object.fromEntries(
    Object.entries(properties)
      .filter(([name, property]) => required.includes(name) || property.examples !== undefined)
      .map(([name, property]) => [name, exampleOf(document, property)]),
  );

const byType = (document: Known, schema: JsonSchema): unknown => {
  const type = [schema.type ?? "any"].flat()[0] ?? "any";
  switch (type) {
    case "string":
      return textOf(schema);
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

/** A value that a schema takes: its own example where it has one, else made of those of its parts. */
export const exampleOf = (document: Known, schema: JsonSchema): unknown => {
  const found = resolve(document.components.schemas, schema);
  if (found.examples?.[0] !== undefined) return found.examples[0];
  if (found.default !== undefined) return found.default;
  if (found.const !== undefined) return found.const;
  if (found.enum !== undefined) return found.enum[0];
  if (found.allOf !== undefined) return Object.assign({}, ...found.allOf.map((part) => exampleOf(document, part)));
  if (found.anyOf?.[0] !== undefined) return exampleOf(document, found.anyOf[0]);
  return byType(document, found);
};

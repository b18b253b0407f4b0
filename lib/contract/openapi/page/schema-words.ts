import type { JsonSchema } from "../../schema/json-schema.ts";
import { code, html, type Html } from "./html.ts";

const range = (min: number | undefined, max: number | undefined, unit: string): string[] => {
  if (min === undefined && max === undefined) return [];
  if (max === undefined) return [`${min} or more${unit}`];
  return [min === undefined ? `at most ${max}${unit}` : `${min} to ${max}${unit}`];
};

const bounds = (schema: JsonSchema): string[] => [
  ...range(schema.minLength, schema.maxLength, " characters"),
  ...range(schema.minimum, schema.maximum, ""),
  ...(schema.exclusiveMinimum === undefined ? [] : [`above ${schema.exclusiveMinimum}`]),
  ...(schema.exclusiveMaximum === undefined ? [] : [`below ${schema.exclusiveMaximum}`]),
  ...range(schema.minItems, schema.maxItems, " items"),
  ...range(schema.minProperties, schema.maxProperties, " keys"),
];

const join = (pieces: readonly Html[], separator: string): Html =>
  html`${pieces.map((piece, index) => (index === 0 ? piece : html`${separator}${piece}`))}`;

const value = (constant: unknown): Html => code(JSON.stringify(constant));

const arrayWords = ({ items = {} }: JsonSchema): Html => {
  const words = typeWords(items);
  return bounds(items).length === 0 ? html`array of ${words}` : html`array of (${words})`;
};

const objectWords = ({ additionalProperties }: JsonSchema): Html =>
  typeof additionalProperties === "object" ? html`object of ${typeWords(additionalProperties)}` : html`object`;

const oneType = (type: string, schema: JsonSchema): Html => {
  if (type === "array") return arrayWords(schema);
  if (type === "object") return objectWords(schema);
  return html`${type === "string" ? (schema.format ?? type) : type}`;
};

/** Renders the type of a schema with its bounds, such as `string, 1 to 255 characters`; a named schema becomes a link. */
export const typeWords = (schema: JsonSchema): Html => {
  if (schema.$ref !== undefined) {
    const name = schema.$ref.split("/").at(-1) ?? "";
    return html`<a href="#schema-${name}">${name}</a>`;
  }
  if (schema.const !== undefined) return value(schema.const);
  if (schema.enum !== undefined) return join(schema.enum.map(value), " | ");
  if (schema.anyOf !== undefined) return join(schema.anyOf.map(typeWords), " or ");
  if (schema.allOf !== undefined) return join(schema.allOf.map(typeWords), " with ");
  const types = [schema.type ?? "any JSON"].flat().map((type) => oneType(type, schema));
  return join([join(types, " or "), ...bounds(schema).map((bound) => html`${bound}`)], ", ");
};

/** Returns sentences about a field: its default and its description, if any. */
export const schemaNotes = ({ default: defaultValue, description }: JsonSchema): readonly string[] => [
  ...(defaultValue === undefined ? [] : [`Default \`${JSON.stringify(defaultValue)}\`.`]),
  ...(description === undefined ? [] : [description]),
];

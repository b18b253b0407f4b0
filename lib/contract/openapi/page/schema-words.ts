import type { JsonSchema } from "../../json-schema.ts";
import { code, html, type Html } from "./html.ts";

const range = (least: number | undefined, most: number | undefined, unit: string): string[] => {
  if (least === undefined && most === undefined) return [];
  if (most === undefined) return [`${least} or more${unit}`];
  return [least === undefined ? `at most ${most}${unit}` : `${least} to ${most}${unit}`];
};

const bounds = (schema: JsonSchema): string[] => [
  ...range(schema.minLength, schema.maxLength, " characters"),
  ...range(schema.minimum, schema.maximum, ""),
  ...(schema.exclusiveMinimum === undefined ? [] : [`above ${schema.exclusiveMinimum}`]),
  ...(schema.exclusiveMaximum === undefined ? [] : [`below ${schema.exclusiveMaximum}`]),
  ...range(schema.minItems, schema.maxItems, " items"),
  ...range(schema.minProperties, schema.maxProperties, " keys"),
];

const joined = (pieces: readonly Html[], separator: string): Html =>
  html`${pieces.map((piece, index) => (index === 0 ? piece : html`${separator}${piece}`))}`;

const value = (given: unknown): Html => code(JSON.stringify(given));

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

/** The type of a schema in words, with its bounds; a named one is a link to its table. */
export const typeWords = (schema: JsonSchema): Html => {
  if (schema.$ref !== undefined) {
    const name = schema.$ref.split("/").at(-1) ?? "";
    return html`<a href="#schema-${name}">${name}</a>`;
  }
  if (schema.const !== undefined) return value(schema.const);
  if (schema.enum !== undefined) return joined(schema.enum.map(value), " | ");
  if (schema.anyOf !== undefined) return joined(schema.anyOf.map(typeWords), " or ");
  if (schema.allOf !== undefined) return joined(schema.allOf.map(typeWords), " with ");
  const types = [schema.type ?? "any JSON"].flat().map((type) => oneType(type, schema));
  return joined([joined(types, " or "), ...bounds(schema).map((bound) => html`${bound}`)], ", ");
};

/** What else there is to say of a field: its default and its description. */
export const remarks = ({ default: given, description }: JsonSchema): readonly string[] => [
  ...(given === undefined ? [] : [`Default \`${JSON.stringify(given)}\`.`]),
  ...(description === undefined ? [] : [description]),
];

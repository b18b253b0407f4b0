import type { JsonSchema } from "../../json-schema.ts";
import type { Parameter } from "../openapi.ts";
import { code, html, prose, type Html } from "./html.ts";
import { remarks, typeWords } from "./schema-words.ts";

/** Something with a name and a type: a parameter, or a field of an object. */
export interface Field {
  readonly name: string;
  readonly schema: JsonSchema;
  readonly required: boolean;
  /** Where it stands, when not in the object that is described. */
  readonly place?: string;
  /** What is said of it beyond its schema. */
  readonly description?: string | undefined;
}

/** A parameter as a field, with its place in the request. */
export const parameterField = ({ name, in: place, required = false, description, schema }: Parameter): Field => ({
  name,
  place,
  required,
  description,
  schema,
});

/** One entry of a list of terms: what it is called, what it is, and what else there is to say. */
export const entry = (term: Html, ...details: readonly Html[]): Html =>
  html`<div>
    <dt>${term}</dt>
    ${details.filter(({ text }) => text !== "").map((detail) => html`<dd>${detail}</dd>`)}
  </div> `;

const fieldEntry = ({ name, schema, required, place, description = "" }: Field): Html =>
  entry(
    html`${code(name)}${required ? html` <b>required</b>` : ""}${place === undefined ? "" : html` <i>${place}</i>`}`,
    typeWords(schema),
    prose([...remarks(schema), description].filter((text) => text !== "").join(" ")),
  );

/** Fields with what there is to say of each, as a list that fits any width. */
export const fieldList = (fields: readonly Field[]): Html => html`<dl>${fields.map(fieldEntry)}</dl>`;

/** The fields of an object, those of objects within it that have no name of their own too. */
const fieldsOf = ({ properties = {}, required = [], allOf = [] }: JsonSchema, prefix = ""): readonly Field[] => [
  ...Object.entries(properties).flatMap(([key, schema]) => {
    const name = `${prefix}${key}`;
    const within = schema.items?.properties === undefined ? schema : schema.items;
    const inner = fieldsOf(within, within === schema ? `${name}.` : `${name}[].`);
    const field: Field = { name, schema, required: required.includes(key) };
    return [field].concat(inner);
  }),
  ...allOf.flatMap((part) => fieldsOf(part, prefix)),
];

/** A schema's fields; its type in words when it has none. */
export const schemaFields = (schema: JsonSchema): Html => {
  const fields = fieldsOf(schema);
  return schema.$ref !== undefined || fields.length === 0 ? html`<p>${typeWords(schema)}</p>` : fieldList(fields);
};

import type { JsonSchema } from "../../schema/json-schema.ts";
import type { Parameter } from "../openapi.ts";
import { code, html, prose, type Html } from "./html.ts";
import { schemaNotes, typeWords } from "./schema-words.ts";

/** A parameter of an operation, or a field of an object. */
export interface DocumentedField {
  readonly name: string;
  readonly schema: JsonSchema;
  readonly required: boolean;
  /** Location of a parameter in the request: `path`, `query` or `header`. Absent for fields of an object. */
  readonly place?: string;
  /** Description of the parameter, in addition to that of its schema. */
  readonly description?: string | undefined;
}

/** Converts a parameter to a field, with its location in the request. */
export const parameterField = ({
  name,
  in: place,
  required = false,
  description,
  schema,
}: Parameter): DocumentedField => ({
  name,
  place,
  required,
  description,
  schema,
});

/** Renders an entry of a description list: a term, and its non-empty details. */
export const entry = (term: Html, ...details: readonly Html[]): Html =>
  html`<div>
    <dt>${term}</dt>
    ${details.filter(({ text }) => text !== "").map((detail) => html`<dd>${detail}</dd>`)}
  </div> `;

const fieldEntry = ({ name, schema, required, place, description = "" }: DocumentedField): Html =>
  entry(
    html`${code(name)}${required ? html` <b>required</b>` : ""}${place === undefined ? "" : html` <i>${place}</i>`}`,
    typeWords(schema),
    prose([...schemaNotes(schema), description].filter((text) => text !== "").join(" ")),
  );

/** Renders fields as a description list. */
export const fieldList = (fields: readonly DocumentedField[]): Html => html`<dl>${fields.map(fieldEntry)}</dl>`;

/** Returns the fields of an object, including those of nested objects without a schema name. */
const fieldsOf = (
  { properties = {}, required = [], allOf = [] }: JsonSchema,
  prefix = "",
): readonly DocumentedField[] => [
  ...Object.entries(properties).flatMap(([key, schema]) => {
    const name = `${prefix}${key}`;
    const within = schema.items?.properties === undefined ? schema : schema.items;
    const inner = fieldsOf(within, within === schema ? `${name}.` : `${name}[].`);
    const field: DocumentedField = { name, schema, required: required.includes(key) };
    return [field].concat(inner);
  }),
  ...allOf.flatMap((part) => fieldsOf(part, prefix)),
];

/** Renders the fields of a schema, or the type of a schema without fields. */
export const schemaFields = (schema: JsonSchema): Html => {
  const fields = fieldsOf(schema);
  return schema.$ref !== undefined || fields.length === 0 ? html`<p>${typeWords(schema)}</p>` : fieldList(fields);
};

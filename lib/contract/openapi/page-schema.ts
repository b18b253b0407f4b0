import type { JsonSchema } from "../json-schema.ts";
import { html, prose, type Html } from "./html.ts";
import { remarks, typeWords } from "./schema-words.ts";

interface Field {
  readonly path: string;
  readonly schema: JsonSchema;
  readonly required: boolean;
}

/** The fields of an object, those of objects within it that have no name of their own too. */
const fieldsOf = ({ properties = {}, required = [], allOf = [] }: JsonSchema, prefix = ""): readonly Field[] => [
  ...Object.entries(properties).flatMap(([name, schema]) => {
    const path = `${prefix}${name}`;
    const within = schema.items?.properties === undefined ? schema : schema.items;
    const inner = fieldsOf(within, within === schema ? `${path}.` : `${path}[].`);
    const field: Field = { path, schema, required: required.includes(name) };
    return [field].concat(inner);
  }),
  ...allOf.flatMap((part) => fieldsOf(part, prefix)),
];

const row = ({ path, schema, required }: Field): Html =>
  html` <tr>
    <td><code>${path}</code></td>
    <td>${typeWords(schema)}</td>
    <td>${required ? "required" : ""}</td>
    <td>${prose(remarks(schema).join(" "))}</td>
  </tr>`;

/** A schema's fields as a table; its type in words when it has none. */
export const schemaTable = (schema: JsonSchema): Html => {
  const fields = fieldsOf(schema);
  if (schema.$ref !== undefined || fields.length === 0) return html`<p>${typeWords(schema)}</p>`;
  return html`<table>
    <thead>
      <tr>
        <th>Field</th>
        <th>Type</th>
        <th></th>
        <th></th>
      </tr>
    </thead>
    <tbody>
      ${fields.map(row)}
    </tbody>
  </table>`;
};

/** A value as it goes over the wire. */
export const jsonBlock = (value: unknown): Html => html`<pre>${JSON.stringify(value, null, 2)}</pre>`;

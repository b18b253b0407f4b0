import * as v from "valibot";
import { defaultOf, forEachField, type Field, type Fields, type ValuesOf } from "../../domain/fields.ts";
import { valueSchema } from "../../dynamo/stored-form.ts";
import { json, jsonObject, numberBetween, oneOf, text } from "./fields.ts";
import { plainText } from "./plain-text.ts";

type Schema<Value> = v.GenericSchema<unknown, Value>;

/** Value of a new resource's field; undefined if it is computed. */
type NewValue<F, Value> = F extends { readonly computed: true } ? Value | undefined : Value;

/** Entries of the three object schemas of a resource, by the names of its fields. */
interface Resource<F extends Fields> {
  /** Of a new resource: absent fields get their defaults. */
  readonly input: { readonly [Name in keyof F]: Schema<NewValue<F[Name], ValuesOf<F>[Name]>> };
  /** Of changes to a resource: absent fields keep their values. */
  readonly update: { readonly [Name in keyof F]: v.OptionalSchema<Schema<ValuesOf<F>[Name]>, undefined> };
  readonly reply: { readonly [Name in keyof F]: Schema<ValuesOf<F>[Name]> };
}

const requestSchema = (field: Field): v.GenericSchema => {
  switch (field.kind) {
    case "text":
      return text(field.max);
    case "name":
      return plainText(field.max);
    case "one_of":
      return oneOf(field.values);
    case "number":
      return numberBetween(field.min, field.max);
    case "integer":
      return v.pipe(numberBetween(field.min, field.max), v.integer("Input should be a valid integer"));
    case "boolean":
      return v.boolean("Input should be a valid boolean");
    case "object":
      return jsonObject;
    default:
      return field satisfies never;
  }
};

const orNull = (field: Field, schema: v.GenericSchema): v.GenericSchema =>
  field.nullable ? v.nullable(schema) : schema;

const withDefault = (field: Field, schema: v.GenericSchema): v.GenericSchema => {
  const value = defaultOf(field);
  if (value === undefined) return field.computed ? v.optional(schema) : schema;
  // The document states a default that the field names; null for others says nothing.
  return v.optional(schema, field.default === undefined ? () => value : value);
};

/** Examples of requests: they may lack fields that have a default. */
export const requestExamples = <Value>(examples: readonly object[]) =>
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- examples are only shown.
  v.examples<Value, readonly Value[]>(examples as readonly Value[]);

/**
 * Builds the schemas of a resource from its fields.
 *
 * @param descriptions sentences of the documentation about the fields in requests; empty for none.
 *
 * @example
 * const { input, reply } = resource(alertFields, { name: "", window: "Length of the windows.", ... });
 * const alertInput = v.pipe(closedObject(input), v.title("AlertInput"));
 */
export const resource = <const F extends Fields>(
  fields: F,
  descriptions: Readonly<Record<keyof F, string>>,
): Resource<F> => {
  const requests: Record<keyof F, v.GenericSchema> = forEachField(fields, (field, name) => {
    const [schema, description] = [requestSchema(field), descriptions[name]];
    return orNull(field, description ? v.pipe(schema, v.description(description)) : schema);
  });
  return {
    input: forEachField(fields, (field, name) => withDefault(field, requests[name])),
    update: forEachField(fields, (_, name) => v.optional(requests[name])),
    reply: forEachField(fields, (field) =>
      orNull(field, field.kind === "object" ? v.record(v.string(), json) : valueSchema(field)),
    ),
  };
};

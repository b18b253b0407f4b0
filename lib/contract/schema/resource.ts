import * as v from "valibot";
import { defaultOf, forEachField, type Field, type Fields, type ValueOf } from "../../domain/fields.ts";
import { valueSchema } from "../../dynamo/stored-form.ts";
import { jsonObject, numberBetween, oneOf, text } from "./fields.ts";
import { plainText } from "./plain-text.ts";

type Schema<Value> = v.GenericSchema<unknown, Value>;

/** Value of a new resource's field; undefined if it is computed. */
type NewValue<F extends Field> = ValueOf<F> | (F extends { readonly computed: true } ? undefined : never);

/** Entries of the three object schemas of a resource, by the names of its fields. */
interface Resource<F extends Fields> {
  /** Of a new resource: absent fields get their defaults. */
  readonly input: { readonly [Name in keyof F]: Schema<NewValue<F[Name]>> };
  /** Of changes to a resource: absent fields keep their values. */
  readonly update: { readonly [Name in keyof F]: v.OptionalSchema<Schema<ValueOf<F[Name]>>, undefined> };
  readonly reply: { readonly [Name in keyof F]: Schema<ValueOf<F[Name]>> };
}

/** Kinds whose schemas in requests are written by hand. */
type OwnKind = "texts" | "numbers" | "group";

/** The sentence about a field in the documentation of requests, empty for none; or its schema there, without null. */
type Description<F extends Field> = Schema<Exclude<ValueOf<F>, null>> | (F["kind"] extends OwnKind ? never : string);

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
    case "texts":
    case "numbers":
    case "group":
      throw new Error(`A field of the kind ${field.kind} needs a schema of its own.`);
    default:
      return field satisfies never;
  }
};

const orNull = (field: Field, schema: v.GenericSchema): v.GenericSchema =>
  field.nullable ? v.nullable(schema) : schema;

const replySchema = (field: Field): v.GenericSchema => {
  const group = field.kind === "group" && v.object(forEachField<Fields, v.ObjectEntries>(field.fields, replySchema));
  return orNull(field, group || (field.kind === "object" ? jsonObject : valueSchema(field)));
};

const inputSchema = (field: Field, schema: v.GenericSchema): v.GenericSchema => {
  const value = defaultOf(field);
  if (value === undefined) return field.computed ? v.optional(schema) : schema;
  // The document states a default that the field names; null for others says nothing.
  return v.optional(schema, field.default === undefined ? () => value : value);
};

const updateSchema = (field: Field, schema: v.GenericSchema): v.GenericSchema => {
  if (field.nullInUpdate === undefined) return v.optional(schema);
  const value = field.nullInUpdate === "resets" ? defaultOf(field) : undefined;
  return v.pipe(
    v.nullish(schema),
    v.transform((sent) => (sent === null ? value : sent)),
  );
};

/** Examples of requests: they may lack fields that have a default. */
export const requestExamples = <Value>(examples: readonly object[]) =>
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- examples are only shown.
  v.examples<Value, readonly Value[]>(examples as readonly Value[]);

/**
 * Builds the schemas of a resource from its fields.
 *
 * @example
 * const { input, reply } = resourceSchemas(alertFields, { name: "", window: "Length of the windows.", ... });
 * const alertInput = v.pipe(closedObject(input), v.title("AlertInput"));
 */
export const resourceSchemas = <const F extends Fields>(
  fields: F,
  descriptions: { readonly [Name in keyof F]: Description<F[Name]> },
): Resource<F> => {
  const requests: Record<keyof F, v.GenericSchema> = forEachField(fields, (field, name) => {
    const description: v.GenericSchema | string = descriptions[name];
    if (typeof description === "object") return orNull(field, description);
    const schema = requestSchema(field);
    return orNull(field, description === "" ? schema : v.pipe(schema, v.description(description)));
  });
  return {
    input: forEachField(fields, (field, name) => inputSchema(field, requests[name])),
    update: forEachField(fields, (field, name) => updateSchema(field, requests[name])),
    reply: forEachField(fields, replySchema),
  };
};

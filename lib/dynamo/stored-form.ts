import * as v from "valibot";
import { defaultOf, type Field, type Fields, type ValuesOf } from "../domain/fields.ts";

const isObject = (value: unknown): value is object => typeof value === "object" && value !== null;

/** Returns the schema of a field's values without their limits. */
export const valueSchema = (field: Field): v.GenericSchema => {
  switch (field.kind) {
    case "text":
    case "name":
      return v.string();
    case "one_of":
      return v.picklist(field.values);
    case "number":
      return v.number();
    case "integer":
      return v.pipe(v.number(), v.integer());
    case "boolean":
      return v.boolean();
    case "object":
      return v.custom(isObject);
    case "texts":
      return v.array(v.string());
    case "numbers":
      return v.record(v.string(), v.number());
    case "group":
      return storedSchemaOf(field.fields);
    default:
      return field satisfies never;
  }
};

/** A field that an earlier version did not store has its default. */
const storedSchema = (field: Field): v.GenericSchema => {
  const [schema, value] = [field.nullable ? v.nullable(valueSchema(field)) : valueSchema(field), defaultOf(field)];
  return value === undefined ? schema : v.optional(schema, value);
};

/** Loose schema: what a later version of the service added stays with the resource when it is changed. */
const storedSchemaOf = <F extends Fields>(fields: F): v.GenericSchema<unknown, ValuesOf<F>> => {
  const entries = Object.entries(fields).map(([name, field]) => [field.stored ?? name, storedSchema(field)] as const);
  const names = new Map(Object.entries(fields).map(([name, { stored = name }]) => [stored, name]));
  return v.pipe(
    v.looseObject(Object.fromEntries(entries)),
    v.transform(
      (stored) =>
        // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the schemas have checked the values.
        Object.fromEntries(Object.entries(stored).map(([key, value]) => [names.get(key) ?? key, value])) as ValuesOf<F>,
    ),
  );
};

const storedValues = (fields: Fields, values: object): object =>
  Object.fromEntries(
    Object.entries(values).map(([name, value]: [string, unknown]) => {
      const field = fields[name];
      const isGroup = field?.kind === "group" && isObject(value);
      return [field?.stored ?? name, isGroup ? storedValues(field.fields, value) : value];
    }),
  );

/** Returns the writer of a resource's values as they are stored, and the schema that reads them. */
export const storedForm = <const F extends Fields>(fields: F) => ({
  write: (values: ValuesOf<F>): object => storedValues(fields, values),
  schema: storedSchemaOf(fields),
});

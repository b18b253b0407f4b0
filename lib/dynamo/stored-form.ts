import * as v from "valibot";
import { defaultOf, type Field, type Fields, type ValuesOf } from "../domain/fields.ts";

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
      return v.custom((value) => typeof value === "object" && value !== null);
    default:
      return field satisfies never;
  }
};

/** A field that an earlier version did not store has its default. */
const storedSchema = (field: Field): v.GenericSchema => {
  const [schema, value] = [field.nullable ? v.nullable(valueSchema(field)) : valueSchema(field), defaultOf(field)];
  return value === undefined ? schema : v.optional(schema, value);
};

/** Renames the keys of an object; others stay, such as those that a later version of the service added. */
const renamed = (object: object, names: ReadonlyMap<string, string>): object =>
  Object.fromEntries(Object.entries(object).map(([key, value]) => [names.get(key) ?? key, value]));

/** Returns the writer of a resource's values as they are stored, and the loose schema that reads them. */
export const storedForm = <const F extends Fields>(fields: F) => {
  const storedNames = Object.entries(fields).map(([name, { stored = name }]) => [name, stored] as const);
  const [toStore, fromStore] = [new Map(storedNames), new Map(storedNames.map(([name, stored]) => [stored, name]))];
  const schemas = Object.entries(fields).map(([name, field]) => [field.stored ?? name, storedSchema(field)] as const);
  return {
    write: (values: ValuesOf<F>): object => renamed(values, toStore),
    schema: v.pipe(
      v.looseObject(Object.fromEntries(schemas)),
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the schemas have checked the values.
      v.transform((stored) => renamed(stored, fromStore) as ValuesOf<F>),
    ),
  };
};

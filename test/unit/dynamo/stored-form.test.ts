import fc from "fast-check";
import { safeParse } from "valibot";
import { expect, test } from "vitest";
import { projectFields } from "../../../lib/domain/access/fields.ts";
import { alertFields } from "../../../lib/domain/alerts/fields.ts";
import { monitorFields } from "../../../lib/domain/monitors/fields.ts";
import { defaultOf, type Field, type Fields, type ValuesOf } from "../../../lib/domain/fields.ts";
import { storedForm } from "../../../lib/dynamo/stored-form.ts";

const tables = { alertFields, monitorFields, projectFields } satisfies Readonly<Record<string, Fields>>;

/** Keys without those that objects have from the start. */
const keys = fc.string().filter((key) => !(key in {}) && key !== "prototype");

type Value = ValuesOf<Fields>[string];

const valueOf = (field: Field): fc.Arbitrary<Value> => {
  switch (field.kind) {
    case "text":
    case "name":
      return fc.string();
    case "one_of":
      return fc.constantFrom(...field.values);
    case "number":
      return fc.double({ min: field.min, max: field.max, noNaN: true }).map((value) => value + 0);
    case "integer":
      return fc.integer({ min: field.min, max: field.max });
    case "boolean":
      return fc.boolean();
    case "object":
      return fc.dictionary(fc.string(), fc.string());
    case "texts":
      return fc.array(fc.string());
    case "numbers":
      return fc.dictionary(keys, fc.integer());
    case "group":
      return valuesOf(field.fields);
    default:
      return field satisfies never;
  }
};

const valuesOf = (fields: Fields): fc.Arbitrary<ValuesOf<Fields>> =>
  fc.record<Record<string, Value>>(
    Object.fromEntries(
      Object.entries(fields).map(([name, field]) => [
        name,
        field.nullable ? fc.option(valueOf(field)) : valueOf(field),
      ]),
    ),
  );

/** Reads stored values after a round trip as JSON; null if they cannot be read. */
const read = (form: ReturnType<typeof storedForm>, stored: object) => {
  const { success, output } = safeParse(form.schema, JSON.parse(JSON.stringify(stored)));
  return success ? output : null;
};

test.each(Object.entries<Fields>(tables))("%s reads what it wrote, with what a later version added", (_, fields) => {
  const form = storedForm(fields);
  const names = new Set(Object.entries(fields).flatMap(([name, { stored = name }]) => [name, stored]));
  const later = fc.dictionary(
    keys.filter((key) => !names.has(key)),
    fc.string(),
  );
  fc.assert(
    fc.property(valuesOf(fields), later, (values, added) => {
      const stored = { ...form.write(values), ...added };
      expect(read(form, stored)).toEqual({ ...values, ...added });
      expect(form.write({ ...values, ...added })).toEqual(stored);
    }),
  );
});

test.each(Object.entries<Fields>(tables))("%s reads defaults of fields that an earlier version lacked", (_, fields) => {
  const form = storedForm(fields);
  fc.assert(
    fc.property(valuesOf(fields), fc.constantFrom(...Object.keys(fields)), (values, name) => {
      const { [name]: _value, ...others } = values;
      const [output, value] = [read(form, form.write(others)), defaultOf(fields[name] as Field)];
      expect(output).toEqual(value === undefined ? null : { ...others, [name]: value });
    }),
  );
});

import { object, parse, safeParse, type GenericSchema } from "valibot";
import { expect, test } from "vitest";
import { alertResource } from "../../../lib/contract/monitors/alerts.ts";
import { monitorResource } from "../../../lib/contract/monitors/monitors.ts";
import { resourceSchemas } from "../../../lib/contract/schema/resource.ts";
import { alertFields } from "../../../lib/domain/alerts/fields.ts";
import { monitorFields } from "../../../lib/domain/monitors/fields.ts";
import { defaultsOf, type Fields } from "../../../lib/domain/fields.ts";

const fields = {
  title: { kind: "name", max: 5 },
  unit: { kind: "one_of", values: ["second", "minute"], default: "second" },
  limit: { kind: "number", min: 0, max: 1, nullable: true },
  count: { kind: "integer", min: 1, max: 9, computed: true },
  note: { kind: "text", max: 5, nullable: true, default: "none" },
} as const satisfies Fields;
const { input, update, reply } = resourceSchemas(fields, { title: "", unit: "", limit: "", count: "", note: "" });

test("a new resource gets the defaults of absent fields, and keeps null where it is a value", () => {
  const created = parse(object(input), { title: "a" });
  expect(created).toEqual({ title: "a", unit: "second", limit: null, note: "none" });
  expect(parse(object(input), { title: "a", limit: 0.5, note: null })).toMatchObject({ limit: 0.5, note: null });
});

test("a change has its fields only, and null where it is a value", () => {
  expect(parse(object(update), {})).toEqual({});
  expect(parse(object(update), { limit: null, count: 2 })).toEqual({ limit: null, count: 2 });
});

test.each<readonly [string, unknown]>([
  ["title", ""],
  ["title", "longer"],
  ["title", "a\nb"],
  ["title", null],
  ["unit", "hour"],
  ["unit", null],
  ["limit", 1.5],
  ["limit", "x"],
  ["count", 1.5],
  ["count", 0],
  ["note", "longer"],
])("a %s of %j is refused in a new resource and in a change", (name, value) => {
  const refusals = [
    safeParse(object(input), { title: "a", [name]: value }),
    safeParse(object(update), { [name]: value }),
  ];
  expect(refusals.map(({ issues }) => issues?.map(({ path }) => path?.[0]?.key))).toEqual([[name], [name]]);
});

test("a required field that is absent is refused", () => {
  expect(safeParse(object(input), {}).issues?.map(({ path }) => path?.[0]?.key)).toEqual(["title"]);
});

test("null in a change of a field that cannot be null resets it or keeps it, as the field says", () => {
  const changes = {
    unit: { ...fields.unit, nullInUpdate: "resets" },
    title: { ...fields.title, nullInUpdate: "keeps" },
  } as const;
  const { update } = resourceSchemas(changes, { unit: "", title: "" });
  expect(parse(object(update), { unit: null, title: null })).toEqual({ unit: "second", title: undefined });
  expect(parse(object(update), { unit: "minute", title: "b" })).toEqual({ unit: "minute", title: "b" });
  expect(safeParse(object(update), { unit: "hour", title: "" }).issues).toHaveLength(2);
});

test.each([
  ["alerts", alertFields, alertResource],
  ["monitors", monitorFields, monitorResource],
] as const)("the defaults of %s are values of their fields", (_, table: Fields, schemas) => {
  for (const entries of [schemas.update, schemas.reply] as readonly Readonly<Record<string, GenericSchema>>[])
    for (const [name, value] of Object.entries(defaultsOf(table)))
      expect([name, safeParse(entries[name] as GenericSchema, value).issues]).toEqual([name, undefined]);
});

test("a reply has null where it is a value", () => {
  expect(safeParse(object(reply), { title: "a", unit: "minute", limit: null, count: 1, note: null }).success).toBe(
    true,
  );
});

import { Ajv } from "ajv";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { prepareSchema } from "../../../../lib/domain/checks/json-schema.ts";
import type { Json, JsonObject } from "../../../../lib/domain/json.ts";

const numRuns = Number(process.env["CHECKS"] ?? "150");

const scalar = fc.constantFrom<Json[]>(0, 1, 2.5, -1, "a", "ab", "", "\u{1f600}", true, null);
const key = fc.constantFrom("a", "b", "c");
const instances: fc.Arbitrary<Json> = fc.letrec<{ value: Json }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 2 },
    scalar,
    fc.array(tie("value"), { maxLength: 3 }),
    fc.dictionary(key, tie("value"), { maxKeys: 3, noNullPrototype: true }),
  ),
})).value;

const types = fc.constantFrom("null", "boolean", "string", "number", "integer", "array", "object");
const count = fc.constantFrom(0, 1, 2);
const schemas = fc.letrec<{ schema: JsonObject }>((tie) => {
  const list = fc.array(tie("schema"), { minLength: 1, maxLength: 2 });
  const keyword = fc.oneof(
    { maxDepth: 2 },
    fc.oneof(types, fc.uniqueArray(types, { minLength: 1, maxLength: 2 })).map((type) => ({ type })),
    instances.map((value) => ({ const: value })),
    fc.uniqueArray(scalar, { minLength: 1, maxLength: 3 }).map((values) => ({ enum: values })),
    fc.uniqueArray(key, { maxLength: 2 }).map((required) => ({ required })),
    fc.constantFrom("^a", "b$", "^.$", "[ab]+").map((pattern) => ({ pattern })),
    ...["minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties"].map((name) =>
      count.map((bound) => ({ [name]: bound })),
    ),
    ...["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"].map((name) =>
      fc.constantFrom(-1, 0, 1, 2.5).map((bound) => ({ [name]: bound })),
    ),
    fc
      .tuple(
        fc.dictionary(key, tie("schema"), { maxKeys: 2, noNullPrototype: true }),
        fc.oneof(fc.boolean(), tie("schema")),
      )
      .map(([properties, additionalProperties]) => ({ properties, additionalProperties })),
    tie("schema").map((items) => ({ items })),
    tie("schema").map((not) => ({ not })),
    ...["allOf", "anyOf", "oneOf"].map((name) => list.map((each) => ({ [name]: each }))),
  );
  return {
    schema: fc.array(keyword, { minLength: 1, maxLength: 3 }).map((parts): JsonObject => Object.assign({}, ...parts)),
  };
}).schema;

describe("a schema", () => {
  test("accepts and refuses the same values as an independent validator", () => {
    const ajv = new Ajv({ strict: false });
    const outcomes = new Set<boolean>();
    fc.assert(
      fc.property(schemas, fc.array(instances, { minLength: 1, maxLength: 4 }), (schema, values) => {
        const prepared = prepareSchema(schema);
        if (typeof prepared === "string") throw new Error(prepared);
        const validate = ajv.compile(schema);
        for (const value of values) {
          const isValid = validate(value);
          outcomes.add(isValid);
          expect(prepared.flawOf(value) === null).toBe(isValid);
        }
      }),
      { numRuns },
    );
    expect(outcomes.size).toBe(2);
  });

  test.each<[JsonObject, Json, string]>([
    [{ required: ["id"] }, {}, "$.id is missing"],
    [{ properties: { n: { type: ["integer", "null"] } } }, { n: 1.5 }, "$.n is not of type integer or null"],
    [{ items: { properties: { n: { maximum: 3 } } } }, [{ n: 1 }, { n: 4 }], "$[1].n: maximum is 3, and it is 4"],
    [{ properties: {}, additionalProperties: false }, { x: 1 }, "$.x is not allowed"],
    [{ properties: { __proto__: {} } }, 1, ""],
  ])("reports the place where a value does not match: %j", (schema, value, flaw) => {
    const prepared = prepareSchema(schema);
    expect(typeof prepared === "string" ? prepared : (prepared.flawOf(value) ?? "")).toBe(flaw);
  });
});

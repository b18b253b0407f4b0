import { isDeepStrictEqual } from "node:util";
import fc from "fast-check";
import { expect, test } from "vitest";
import { equalsJson, isObject, type Json, parseLossless, valuesIn } from "../../../lib/domain/json.ts";
import { sizeOfJson } from "../../../lib/domain/json-size.ts";

const text = fc.oneof(fc.string(), fc.constantFrom('"', "\\", '\\"', "[,{", "rawJSON", "1.0"));

/** JSON values of few kinds, so that two are often equal; some of their numbers keep their notation. */
const { value } = fc.letrec<{ value: Json }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    fc.constantFrom<Json>(null, true, 0, 1, "", parseLossless("1.0"), parseLossless("1.00")),
    text,
    fc.array(tie("value"), { maxLength: 4 }),
    fc.dictionary(text, tie("value"), { maxKeys: 3, noNullPrototype: true }),
  ),
}));

/** Counts the values in a list or object; an empty one counts as one that has a value. */
const countOf = (each: Json): number => {
  if (typeof each !== "object" || each === null || JSON.isRawJSON(each)) return 0;
  const children = Object.values(each);
  return children.reduce<number>((sum, child) => sum + countOf(child), Math.max(1, children.length));
};

test("the values of a JSON text are counted, whatever is in its strings", () => {
  fc.assert(
    fc.property(value, (each) => {
      expect(valuesIn(JSON.stringify(each))).toBe(countOf(each));
    }),
  );
  expect(sizeOfJson(JSON.stringify(Array(1_000).fill(1)))).toBe(8_000);
  expect(sizeOfJson(JSON.stringify(["ä".repeat(1_000)]))).toBe(2_004);
});

test("two JSON values are equal if they differ in the order of keys only", () => {
  const reversed = (each: Json): Json =>
    isObject(each) ? Object.fromEntries(Object.entries(each).toReversed()) : each;
  const changed = fc.tuple(value, value).map(([one, other]): [Json, Json] => [
    [one, { x: one }],
    [one, { x: other }],
  ]);
  fc.assert(
    fc.property(fc.oneof(fc.tuple(value, value), changed), ([one, other]) => {
      expect(equalsJson(one, other)).toBe(isDeepStrictEqual(one, other));
      expect(equalsJson([one], [reversed(one)])).toBe(true);
    }),
    { numRuns: 1_000 },
  );
  expect(equalsJson(parseLossless("[1.0]"), [{ rawJSON: "1.0" }])).toBe(false);
});

import fc from "fast-check";
import { expect, test } from "vitest";
import { sortedTags } from "../../../lib/domain/order.ts";

const text = fc.string({
  unit: fc.constantFrom("a", "b", "é", "\ud7ff", "\ue000", "\uffff", "\u{10000}", "\u{1f600}"),
});

const codePoints = (value: string): readonly number[] => Array.from(value, (unit) => unit.codePointAt(0) ?? 0);

/** The definition: the first code point that differs decides, else the length. */
const slowly = (a: string, b: string): number => {
  const [left, right] = [codePoints(a), codePoints(b)];
  const at = left.findIndex((point, index) => point !== right[index]);
  if (at === -1) return left.length - right.length;
  return (left[at] ?? 0) - (right[at] ?? -1);
};

test("tags are ordered by code point, not by code unit", () => {
  fc.assert(
    fc.property(fc.uniqueArray(text), (tags) => {
      expect(sortedTags(tags)).toEqual(tags.toSorted(slowly));
    }),
    { numRuns: 500 },
  );
});

test("the order is the one of UTF-8, which DynamoDB keeps", () => {
  fc.assert(
    fc.property(fc.uniqueArray(text), (tags) => {
      const bytes = tags.map((tag) => Buffer.from(tag)).toSorted((a, b) => Buffer.compare(a, b));
      expect(sortedTags(tags)).toEqual(bytes.map((one) => one.toString()));
    }),
    { numRuns: 500 },
  );
});

test("sorted tags hold every tag once", () => {
  fc.assert(
    fc.property(fc.array(text), (tags) => {
      const sorted = sortedTags([...tags, ...tags]);
      expect(new Set(sorted)).toEqual(new Set(tags));
      expect(sorted.length).toBe(new Set(tags).size);
    }),
  );
});

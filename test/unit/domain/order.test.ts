import fc from "fast-check";
import { expect, test } from "vitest";
import { sortedTags } from "../../../lib/domain/text.ts";

const text = fc.string({
  unit: fc.constantFrom("a", "b", "é", "\ud7ff", "\ue000", "\uffff", "\u{10000}", "\u{1f600}"),
});

const codePoints = (value: string): readonly number[] => Array.from(value, (unit) => unit.codePointAt(0) ?? 0);

/** Definition of the order: the first code point that differs decides, otherwise the length. */
const slowly = (a: string, b: string): number => {
  const [first, right] = [codePoints(a), codePoints(b)];
  const at = first.findIndex((point, index) => point !== right[index]);
  if (at === -1) return first.length - right.length;
  return (first[at] ?? 0) - (right[at] ?? -1);
};

test("tags are ordered by code point, not by code unit", () => {
  fc.assert(
    fc.property(fc.uniqueArray(text), (tags) => {
      expect(sortedTags(tags)).toEqual(tags.toSorted(slowly));
    }),
    { numRuns: 500 },
  );
});

test("the order is that of UTF-8 bytes, which DynamoDB uses", () => {
  fc.assert(
    fc.property(fc.uniqueArray(text), (tags) => {
      const bytes = tags.map((tag) => Buffer.from(tag)).toSorted((a, b) => Buffer.compare(a, b));
      expect(sortedTags(tags)).toEqual(bytes.map((buffer) => buffer.toString()));
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

import fc from "fast-check";
import { expect, test } from "vitest";
import { foldForSearch } from "../../../lib/domain/traces/search/case-folding.ts";

test.each<[text: string, part: string, isFound: boolean]>([
  ["Straße ÄRZTE café İstanbul", "STRASSE", true],
  ["Straße ÄRZTE café İstanbul", "istanbul", true],
  ["Straße ÄRZTE café İstanbul", "ıstanbul", true],
  ["Straße ÄRZTE café İstanbul", "arzte", true],
  ["Straße ÄRZTE café İstanbul", "CAFÉ", true],
  ["cafe", "cafe\u0301", true],
  ["GROẞE", "große", true],
  ["ΟΔΟΣ", "οδος", true],
  ["Ώρα", "ωρα", true],
  ["Łódź", "lodz", true],
  ["ﬁnance", "FIN", true],
  ["Ёлка", "елка", true],
  ["が", "か", false],
  ["हिन्दी", "हनद", false],
  ["café", "caff", false],
  ["plain", "\u0301", false],
])("in %s the text %s is found: %s", (text, part, isFound) => {
  expect(foldForSearch(text).includes(foldForSearch(part))).toBe(isFound);
});

test("a part of a text is found whatever its case", () => {
  const letters = fc.string({ unit: fc.constantFrom(..."aAäÄßẞıİiIσςΣéøŁ ﬁ한か가".split("")), maxLength: 12 });
  fc.assert(
    fc.property(letters, letters, letters, (before, part, after) => {
      for (const variant of [part, part.toUpperCase(), part.toLowerCase()])
        expect(foldForSearch(before + part + after)).toContain(foldForSearch(variant));
    }),
  );
});

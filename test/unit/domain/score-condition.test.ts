import fc from "fast-check";
import { expect, test } from "vitest";
import { scoreTest, type ComparableScore } from "../../../lib/domain/score-condition.ts";
import { escapeScoreName } from "../../../lib/domain/score-name.ts";

const updated_at = "2026-10-01T10:00:00.000000+00:00";
const fields = { applicable: true, metric_version: null, updated_at };
const numeric = (value: string): ComparableScore => ({ ...fields, value, number: Number(value) });
const textual = (value: string): ComparableScore => ({ ...fields, value, number: null });

const scores = new Map<string, ComparableScore>([
  ["quality", numeric("0.50")],
  ["helpful", textual("true")],
  ["skipped", { ...textual("1.0"), applicable: false }],
  ["of a b", numeric("1")],
  ["tone", { ...numeric("0.5"), metric_version: 2 }],
  ["by@7", numeric("0.5")],
  ["a=b", numeric("0.5")],
  [String.raw`c\d`, numeric("0.5")],
]);

test.each([
  ["quality<0.5", false],
  ["quality<=0.5", true],
  ["quality>=.5", true],
  ["quality>-1", true],
  ["quality<5e-1", false],
  ["quality<=5E-1", true],
  ["quality>-1e-7", true],
  ["quality=50e-2", true],
  ["quality=0.5", true],
  ["quality!=0.5", false],
  ["quality=half", false],
  ["quality!=half", true],
  ["helpful=true", true],
  ["helpful=True", false],
  ["helpful!=false", true],
  ["helpful>0", false],
  ["skipped=1.0", false],
  ["skipped!=2", false],
  ["skipped>=0", false],
  ["of a b=1", true],
  ["nobody!=1", false],
  ["nobody<1", false],
  ["tone@2<1", true],
  ["tone@2<0.5", false],
  ["tone@1<1", false],
  ["tone@1!=1", false],
  ["quality@1<1", false],
  ["by@7<1", true],
  [String.raw`by\@7<1`, true],
  [String.raw`tone\@2<1`, false],
  [String.raw`a\=b<1`, true],
  [String.raw`a\=b=0.5`, true],
  [String.raw`a\=b<0.5`, false],
  ["a=b", false],
  [String.raw`c\d<1`, true],
  [String.raw`c\\d<1`, true],
  [String.raw`c\\\d<1`, false],
])("the condition %s holds: %s", (condition, holds) => {
  expect(scoreTest({ score: [condition] })?.matches(scores)).toBe(holds);
});

test("all conditions hold, no name that must be missing is present, and every name is read once", () => {
  const both = scoreTest({ score: ["quality<1", "helpful=true"], no_score: ["nobody"] }, ["quality", "sorted"]);

  expect(both?.matches(scores)).toBe(true);
  expect(both?.names).toEqual(["quality", "helpful", "nobody", "sorted"]);
  expect(scoreTest({ score: ["quality<1", "helpful=false"] })?.matches(scores)).toBe(false);
  expect(scoreTest({ no_score: ["skipped"] })?.matches(scores)).toBe(false);
  expect(scoreTest({ score: [], no_score: [] })).toBeNull();
  expect(scoreTest({ no_score: ["tone@1", "quality@1"] })?.matches(scores)).toBe(true);
  expect(scoreTest({ no_score: ["tone@2"] })?.matches(scores)).toBe(false);
  expect(scoreTest({ score: ["tone@2<1"], no_score: ["tone"] })?.names).toEqual(["tone@2", "tone"]);
});

test("a condition on an escaped name reads the score of that name alone, whatever characters it has", () => {
  const hostile = fc.string({
    unit: fc.constantFrom("a", "2", "<", ">", "=", "!", "@", "\\", " ", "\n"),
    minLength: 1,
  });
  fc.assert(
    fc.property(hostile, fc.constantFrom("<1", "<=0.5", ">0", "=0.5", "!=2"), (name, comparison) => {
      const filter = scoreTest({ score: [escapeScoreName(name) + comparison] });

      expect(filter?.names).toEqual([name]);
      expect(filter?.matches(new Map([[name, numeric("0.5")]]))).toBe(true);
    }),
  );
});

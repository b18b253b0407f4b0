import { expect, test } from "vitest";
import { isUncertain, selectEscalated } from "../../../../lib/domain/runs/cascade.ts";

const rule = { to: "openai/x", when: { confidence_below: 0.8, coverage_below: 0.5 }, at_most: 0.29 };

test.each([
  [{ confidence: 0.79, coverage: 1 }, true],
  [{ confidence: 0.8, coverage: 1 }, false],
  [{ confidence: 0.99, coverage: 0.49 }, true],
  [{ confidence: null, coverage: 0.5 }, false],
])("a verdict %j is uncertain: %j", (verdict, expected) => {
  expect(isUncertain(verdict, rule)).toBe(expected);
});

test("the least confident pairs are selected, the lower number among equals, without those of earlier deliveries", () => {
  const pairs = [
    { pair: 4, confidence: 0.5 },
    { pair: 1, confidence: 0.5 },
    { pair: 2, confidence: 0.1 },
    { pair: 3, confidence: null },
  ];

  const selectionOf = (judged: number, earlier: number) => [...selectEscalated(pairs, rule, judged, earlier)];

  expect(selectionOf(10, 0)).toEqual([2, 1]);
  expect(selectionOf(10, 1)).toEqual([2]);
  expect(selectionOf(10, 5)).toEqual([]);
  // 29 of 100, although 0.29 * 100 is less than 29 in floating point.
  expect(
    selectEscalated(
      Array.from({ length: 40 }, (_, pair) => ({ pair, confidence: 0 })),
      rule,
      100,
      0,
    ).size,
  ).toBe(29);
});

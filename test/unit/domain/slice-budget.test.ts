import { expect, test } from "vitest";
import { sliceBudget } from "../../../lib/domain/slice-budget.ts";

const begun = (budget: ReturnType<typeof sliceBudget>, most = 100): number => {
  let count = 0;
  while (count < most && budget.begin()) count += 1;
  return count;
};

test("pairs are begun while their estimates fit, and all of a budget that was made for them", () => {
  expect(begun(sliceBudget(0.3, 0.1))).toBe(3);
  expect(begun(sliceBudget(0.7, 0.1))).toBe(7);
  expect(begun(sliceBudget(0.29, 0.1))).toBe(2);
});

test("what ended cheaper than estimated makes room, and nothing is free because nobody knows its cost", () => {
  const budget = sliceBudget(0.3, 0.1);
  begun(budget);

  budget.end(0.01);
  expect(begun(budget)).toBe(0);
  budget.end(0.01);
  expect(begun(budget)).toBe(1);
  budget.end(null);
  expect(begun(budget)).toBe(0);
});

test("a pair that was dearer than its estimate raises that of the others", () => {
  const budget = sliceBudget(1, 0.1);
  budget.begin();

  budget.end(0.4);

  expect(begun(budget)).toBe(1);
});

test("a model that costs nothing is never refused", () => {
  const budget = sliceBudget(0, 0);

  expect(begun(budget)).toBe(100);
  expect(budget.exhausted).toBe(false);
});

test("a budget says whether a pair was refused", () => {
  const budget = sliceBudget(0.1, 0.1);
  budget.begin();
  expect(budget.exhausted).toBe(false);

  budget.begin();
  expect(budget.exhausted).toBe(true);
});

import { expect, test } from "vitest";
import { ExactSum } from "../../../lib/domain/exact-sum.ts";

const sumOf = (values: Iterable<number>): number => {
  const sum = new ExactSum();
  for (const value of values) sum.add(value);
  return sum.value;
};

test("small amounts add up exactly, however many they are", () => {
  expect(sumOf(Array.from({ length: 1_000_000 }, () => 0.1))).toBe(100_000);
  expect(sumOf(Array.from({ length: 20_000 }, () => 0.006857))).toBeCloseTo(137.14, 12);
});

test("small amounts beside a large one are not lost", () => {
  expect(sumOf([1e16, 1, 1, -1e16])).toBe(2);
  expect(sumOf([1, 1e16, 1, -1e16])).toBe(2);
});

test("a sum beyond the largest double is infinite", () => {
  expect(sumOf([1e308, 1e308, 1])).toBe(Infinity);
});

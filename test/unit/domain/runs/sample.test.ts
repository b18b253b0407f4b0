import fc from "fast-check";
import { expect, test } from "vitest";
import { sample } from "../../../../lib/domain/runs/sample.ts";
import { seeded } from "../../../support/random.ts";

test.each([
  [10, 0, 0],
  [0, 1, 0],
  [0, 0.5, 0],
  [10, 1, 10],
  [10, 0.01, 1],
  [10, 0.19, 1],
  [10, 0.2, 2],
  [10, 0.29, 2],
  [100, 0.29, 29],
  [1_000, 0.057, 57],
  [3, 0.999, 2],
  [1, 0.000_001, 1],
])("a sample of %i at a rate of %d has %i members", (count, rate, size) => {
  expect(sample(Array.from({ length: count }), rate).length).toBe(size);
});

test("a sample has distinct members in their original order, as many as its size", () => {
  fc.assert(
    fc.property(fc.nat(300), fc.double({ min: 0, max: 1, noNaN: true }), (count, rate) => {
      const items = Array.from({ length: count }, (_, index) => index);
      const sampledItems = sample(items, rate);
      expect(sampledItems.length).toBeGreaterThanOrEqual(Math.min(count, rate === 0 ? 0 : 1));
      expect(sampledItems.length).toBeLessThanOrEqual(Math.max(1, count * rate + 1e-6));
      expect(sampledItems.every((item, at) => at === 0 || item > (sampledItems[at - 1] ?? item))).toBe(true);
      expect(sampledItems.every((item) => item < count)).toBe(true);
    }),
  );
});

test("every item is equally likely, the first and the last included", () => {
  const [random, rounds, items] = [seeded(11), 20_000, Array.from({ length: 20 }, (_, index) => index)];
  const sampleCounts = items.map(() => 0);

  for (let round = 0; round < rounds; round += 1) {
    for (const item of sample(items, 0.25, (below) => random.below(below)))
      sampleCounts[item] = (sampleCounts[item] ?? 0) + 1;
  }

  // Five of twenty: each item in a quarter of the rounds, within five standard deviations.
  const [mean, deviation] = [rounds / 4, Math.sqrt(rounds * 0.25 * 0.75)];
  for (const count of sampleCounts) expect(Math.abs(count - mean)).toBeLessThan(5 * deviation);
});

test("every pair of items is equally likely", () => {
  const [random, rounds, items] = [seeded(12), 12_000, ["a", "b", "c", "d"]];
  const countsByTarget = new Map<string, number>();

  for (let round = 0; round < rounds; round += 1) {
    const pair = sample(items, 0.5, (below) => random.below(below)).join("");
    countsByTarget.set(pair, (countsByTarget.get(pair) ?? 0) + 1);
  }

  expect([...countsByTarget.keys()].toSorted()).toEqual(["ab", "ac", "ad", "bc", "bd", "cd"]);
  for (const count of countsByTarget.values()) expect(Math.abs(count - rounds / 6)).toBeLessThan(250);
});

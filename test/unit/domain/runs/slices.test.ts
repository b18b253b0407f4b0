import fc from "fast-check";
import { expect, test } from "vitest";
import { countBits, isSettled, newPairBits, settlePairs } from "../../../../lib/domain/runs/pair-bits.ts";
import { cutSlices } from "../../../../lib/domain/runs/slice.ts";

/** Empty bits for a number of whole targets. */
const emptyBits = (targets: number, metrics: number) =>
  newPairBits(
    Array.from({ length: targets }, () => null),
    metrics,
  );

const size = fc.record({ targets: fc.integer({ min: 1, max: 40 }), metrics: fc.integer({ min: 1, max: 12 }) });

/** A run slice of some size with some of its pairs settled, in any order and grouping. */
const settlements = size.chain(({ targets, metrics }) =>
  fc.record({
    targets: fc.constant(targets),
    metrics: fc.constant(metrics),
    pairs: fc.uniqueArray(
      fc.record({ pair: fc.nat(targets * metrics - 1), failed: fc.boolean(), missing: fc.constant(false) }),
      { selector: ({ pair }) => pair },
    ),
    cut: fc.nat(20),
  }),
);

test("the bits hold the outcome of each pair, in any grouping", () => {
  fc.assert(
    fc.property(settlements, ({ targets, metrics, pairs, cut }) => {
      const none = emptyBits(targets, metrics);
      const bits = settlePairs(settlePairs(none, metrics, pairs.slice(0, cut)), metrics, pairs.slice(cut));
      const settledPairs = new Set(pairs.map(({ pair }) => pair));
      for (let pair = 0; pair < targets * metrics; pair += 1)
        expect(isSettled(bits, pair)).toBe(settledPairs.has(pair));
      expect(none).toEqual(emptyBits(targets, metrics));
    }),
  );
});

test("the counts are those of the settled pairs", () => {
  fc.assert(
    fc.property(settlements, ({ targets, metrics, pairs }) => {
      const pairsByTarget = Map.groupBy(pairs, ({ pair }) => Math.floor(pair / metrics));
      expect(countBits(settlePairs(emptyBits(targets, metrics), metrics, pairs), targets, metrics)).toEqual({
        evaluated: [...pairsByTarget.values()].filter((targetPairs) => targetPairs.length === metrics).length,
        failed: pairs.filter(({ failed }) => failed).length,
        scored: pairs.filter(({ failed }) => !failed).length,
        missing: 0,
        lost: 0,
      });
    }),
  );
});

test("a missing target counts once, with all its pairs failed", () => {
  const pairs = [3, 4, 5].map((pair) => ({ pair, failed: true, missing: true }));

  const bits = settlePairs(emptyBits(4, 3), 3, pairs);

  expect(countBits(bits, 4, 3)).toEqual({ evaluated: 1, failed: 3, scored: 0, missing: 1, lost: 3 });
});

const names = (count: number) => Array.from({ length: count }, (_, index) => `metric ${index}`);

test("slices hold every target once, in order and undivided, and are a thousand at most", () => {
  fc.assert(
    fc.property(fc.nat(120_000), fc.integer({ min: 1, max: 60 }), (count, metrics) => {
      const targets = Array.from({ length: count }, (_, index) => String(index));
      const slices = cutSlices(targets, { metrics: names(metrics), targetType: "TRACE" });
      expect(slices.flat().every((target, index) => target === targets[index])).toBe(true);
      expect(slices.flat().length).toBe(count);
      expect(slices.length).toBeLessThanOrEqual(1_000);
      expect(slices.every((slice) => slice.length > 0)).toBe(true);
      expect(slices.slice(0, -1).every((slice) => slice.length * metrics >= 50)).toBe(true);
    }),
    { numRuns: 50 },
  );
});

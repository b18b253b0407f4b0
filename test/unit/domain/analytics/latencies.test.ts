import fc from "fast-check";
import { expect, test } from "vitest";
import {
  addLatencies,
  latenciesOfHour,
  latencyCount,
  latencyPercentile,
} from "../../../../lib/domain/analytics/latencies.ts";
import { addSketches, sketchCount, sketchOf, sketchValue } from "../../../../lib/domain/analytics/latency-sketch.ts";

const micros = fc.oneof(
  fc.nat(10_000_000),
  fc.bigInt(0n, 10n ** 15n).map(Number),
  fc.constantFrom(0, 1, 2, 1_000, 3_600_000_000),
);
const rising = (values: readonly number[]): readonly number[] => values.toSorted((a, b) => a - b);

test.each([
  [[2_000_000, 3_000_000], 2500, 2900, 2990],
  [[5_000], 5, 5, 5],
  [[1_000, 2_000, 10_000], 2, 8.4, 9.84],
])("percentiles of %j are interpolated linearly", (values, median, ninetieth, ninetyNinth) => {
  const latencies = latenciesOfHour(values);

  expect(latencyPercentile(latencies, 0.5)).toBeCloseTo(median, 9);
  expect(latencyPercentile(latencies, 0.9)).toBeCloseTo(ninetieth, 9);
  expect(latencyPercentile(latencies, 0.99)).toBeCloseTo(ninetyNinth, 9);
});

test("no values have no percentile", () => {
  expect(latencyPercentile(latenciesOfHour([]), 0.5)).toBeNull();
});

test("a sketch gives the value of every rank within half a percent", () => {
  fc.assert(
    fc.property(fc.array(micros, { minLength: 1, maxLength: 60 }), (values) => {
      const sketch = sketchOf(values);
      for (const [rank, value] of rising(values).entries()) {
        expect(Math.abs(sketchValue(sketch, rank) - value)).toBeLessThanOrEqual(value * 0.005 * (1 + 1e-9));
      }
      expect(sketchCount(sketch)).toBe(values.length);
    }),
  );
});

test("merged sketches equal the sketch of all values", () => {
  fc.assert(
    fc.property(fc.array(fc.array(micros)), (parts) => {
      expect(addSketches(parts.map(sketchOf))).toEqual(sketchOf(parts.flat()));
    }),
  );
});

test("an hour of 1,000 latencies is exact, one of more is a sketch", () => {
  const thousand = Array.from({ length: 1_000 }, (_, index) => 1_000_000 - index);

  expect(latenciesOfHour(thousand)).toEqual({ kind: "values", values: rising(thousand) });
  expect(latenciesOfHour([...thousand, 1]).kind).toBe("sketch");
});

test("merged hours are exact when each of them is, in any order", () => {
  const hours = fc.array(fc.array(micros, { maxLength: 20 }), { minLength: 1, maxLength: 6 });
  fc.assert(
    fc.property(hours, (parts) => {
      const together = addLatencies(parts.map(latenciesOfHour).toReversed());
      expect(together).toEqual({ kind: "values", values: rising(parts.flat()) });
    }),
  );
});

test("an exact hour and a sketch merge into a sketch of both", () => {
  const many = Array.from({ length: 1_001 }, (_, index) => index * 1_000);
  const together = addLatencies([latenciesOfHour([5_000_000]), latenciesOfHour(many)]);

  expect(together).toEqual({ kind: "sketch", sketch: sketchOf([...many, 5_000_000]) });
  expect(latencyCount(together)).toBe(1_002);
  expect(latencyPercentile(together, 0.5)).toBeCloseTo(500.5, -1);
});

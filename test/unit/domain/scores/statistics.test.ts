import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { distributionOf } from "../../../../lib/domain/scores/distribution.ts";
import {
  addStatistics,
  meanOf,
  medianOf,
  quantileOf,
  noStatistics,
  sortedValues,
  statisticsOf,
  type ScoreFact,
  type ScoreStatistics,
} from "../../../../lib/domain/scores/statistics.ts";
import { sumsByName, trendOf } from "../../../../lib/domain/scores/summary.ts";
import { comparedSessions } from "../../../../lib/domain/scores/session-comparison.ts";

const fact = (value: number | null, status: ScoreFact["status"] = "SUCCESS", order = "o"): ScoreFact => ({
  value,
  status,
  order,
});

const statistics = (values: readonly number[]): ScoreStatistics =>
  addStatistics(values.map((value) => statisticsOf(fact(value), 1)));

const finite = fc.double({ noNaN: true, noDefaultInfinity: true });
const values = fc.array(finite, { minLength: 1, maxLength: 60 });

describe("summed statistics", () => {
  test("counts by status, and numbers and categories of successes only", () => {
    const sum = addStatistics([
      statisticsOf(fact(0.5, "SUCCESS", "1"), 1),
      statisticsOf(fact(null, "SUCCESS", "3"), 1),
      statisticsOf(fact(0.9, "FAILED", "2"), 1),
      statisticsOf(fact(0.9, "PENDING"), 1),
      statisticsOf({ ...fact(null), category: "warm" }, 1),
      statisticsOf({ ...fact(null, "FAILED"), category: "cold" }, 1),
      statisticsOf({ ...fact(null), category: "gone" }, 1),
      statisticsOf({ ...fact(null), category: "gone" }, -1),
    ]);

    expect(sum).toEqual({
      success: 3,
      failed: 2,
      inapplicable: 0,
      ruleBased: 0,
      latest: "o",
      values: new Map([[0.5, 1]]),
      categories: new Map([["warm", 1]]),
    });
  });

  test("count scores that do not apply separately, in no other figure", () => {
    const none = { ...fact(1), inapplicable: true };
    const sum = addStatistics([statisticsOf(none, 1), statisticsOf(none, 1), statisticsOf(fact(0.5), 1)]);

    expect(sum).toMatchObject({ success: 1, failed: 0, inapplicable: 2, values: new Map([[0.5, 1]]) });
    expect(addStatistics([sum, statisticsOf(none, -1)])).toMatchObject({ success: 1, inapplicable: 1 });
  });

  test("after additions and removals equal those of the remaining scores, in any grouping", () => {
    fc.assert(
      fc.property(values, fc.array(fc.nat(59)), fc.nat(60), (came, removedIndexes, cut) => {
        const gone = [...new Set(removedIndexes)].filter((index) => index < came.length);
        const parts = [
          ...came.map((value) => statisticsOf(fact(value), 1)),
          ...gone.map((index) => statisticsOf(fact(came[index] ?? 0), -1)),
        ];
        const remaining = statistics(came.filter((_, index) => !gone.includes(index)));

        const sum = addStatistics([addStatistics(parts.slice(cut)), addStatistics(parts.slice(0, cut))]);

        expect(sum.success).toBe(remaining.success);
        expect(sortedValues(sum)).toEqual(sortedValues(remaining));
      }),
    );
  });
});

describe("mean and median", () => {
  test("of no values are null", () => {
    expect([meanOf([]), medianOf([])]).toEqual([null, null]);
  });

  test.each([
    [[0.1, 0.2], 0.15, 0.15],
    [[1], 1, 1],
    [[0, 0, 1], 1 / 3, 0],
    [[0.25, 0.75, 0.75, 1], 0.6875, 0.75],
    [[-3, 5], 1, 1],
  ])("of %j are %d and %d", (numbers, mean, median) => {
    const sorted = sortedValues(statistics(numbers));

    expect(meanOf(sorted)).toBeCloseTo(mean, 12);
    expect(medianOf(sorted)).toBeCloseTo(median, 12);
  });

  test("do not overflow a double during computation", () => {
    const maxDouble = Number.MAX_VALUE;

    expect([meanOf([[maxDouble, 3]]), medianOf([[maxDouble, 2]])]).toEqual([maxDouble, maxDouble]);
    expect(
      meanOf([
        [-maxDouble, 1],
        [maxDouble, 1],
      ]),
    ).toBe(0);
    expect(
      medianOf([
        [-maxDouble, 1],
        [maxDouble, 1],
      ]),
    ).toBe(0);
  });

  test("lie between the minimum and the maximum value, for any values", () => {
    fc.assert(
      fc.property(values, (numbers) => {
        const sorted = sortedValues(statistics(numbers));
        const [minimum, maximum] = [Math.min(...numbers), Math.max(...numbers)];
        const slack = Math.max(Math.abs(minimum), Math.abs(maximum)) * 1e-12;

        for (const middle of [meanOf(sorted), medianOf(sorted)]) {
          expect(middle).toBeGreaterThanOrEqual(minimum - slack);
          expect(middle).toBeLessThanOrEqual(maximum + slack);
        }
      }),
    );
  });
});

test("a tenth of the scores lie below the first of the two quantiles, a tenth above the second", () => {
  const tenths = sortedValues(statistics([0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1]));

  expect([quantileOf(tenths, 0), quantileOf(tenths, 0.1), quantileOf(tenths, 0.9), quantileOf(tenths, 1)]).toEqual([
    0, 0.1, 0.9, 1,
  ]);
  expect(quantileOf(sortedValues(statistics([0, 1])), 0.25)).toBe(0.25);
  expect([quantileOf([], 0.1), quantileOf([[0.5, 3]], 0.9)]).toEqual([null, 0.5]);
});

describe("the distribution", () => {
  const distributionOfNumbers = (numbers: readonly number[], buckets: number) =>
    distributionOf(statistics(numbers), buckets);

  test("has the maximum in its last bucket, and no empty bucket", () => {
    expect(distributionOfNumbers([0, 0.05, 0.95, 1], 10)).toEqual([
      { bucket: 1, bucket_min: 0, bucket_max: 0.1, count: 2 },
      { bucket: 10, bucket_min: 0.9, bucket_max: 1, count: 2 },
    ]);
  });

  test("puts every bound into the bucket that it begins, in spite of rounding", () => {
    for (const buckets of [3, 7, 10, 30, 100]) {
      const bounds = Array.from({ length: buckets }, (_, index) => index / buckets);

      expect(distributionOfNumbers(bounds, buckets).map(({ bucket, count }) => [bucket, count])).toEqual(
        bounds.map((_, index) => [index + 1, 1]),
      );
    }
  });

  test("has bounds with four decimal places within 0 and 1", () => {
    expect(distributionOfNumbers([0.5], 3)).toEqual([{ bucket: 2, bucket_min: 0.3333, bucket_max: 0.6667, count: 1 }]);
  });

  test("reaches from the minimum to the maximum when one lies outside of 0 and 1", () => {
    expect(distributionOfNumbers([-1, 0, 1, 3], 4)).toEqual([
      { bucket: 1, bucket_min: -1, bucket_max: 0, count: 1 },
      { bucket: 2, bucket_min: 0, bucket_max: 1, count: 1 },
      { bucket: 3, bucket_min: 1, bucket_max: 2, count: 1 },
      { bucket: 4, bucket_min: 2, bucket_max: 3, count: 1 },
    ]);
    expect(distributionOfNumbers([5, 5], 10)).toEqual([{ bucket: 10, bucket_min: 5, bucket_max: 5, count: 2 }]);
    expect(distributionOfNumbers([0, -5e-324], 1)).toEqual([
      { bucket: 1, bucket_min: -5e-324, bucket_max: 0, count: 2 },
    ]);
  });

  test("has every value once, within its bucket's bounds", () => {
    fc.assert(
      fc.property(values, fc.integer({ min: 1, max: 100 }), (numbers, buckets) => {
        const distribution = distributionOfNumbers(numbers, buckets);

        expect(distribution.reduce((sum, { count }) => sum + count, 0)).toBe(numbers.length);
        for (const { bucket, bucket_min, bucket_max } of distribution) {
          expect(bucket).toBeGreaterThanOrEqual(1);
          expect(bucket).toBeLessThanOrEqual(buckets);
          expect(Number.isFinite(bucket_min) && Number.isFinite(bucket_max)).toBe(true);
        }
      }),
    );
  });

  test("of no values is empty", () => {
    expect(distributionOfNumbers([], 10)).toEqual([]);
  });
});

describe("scores of several hours", () => {
  const parts = [
    { hour: "2026-11-21T23", name: "b", statistics: statistics([0.5]) },
    { hour: "2026-11-22T00", name: "b", statistics: statistics([1]) },
    { hour: "2026-11-16T00", name: "b", statistics: statistics([0]) },
  ];

  test("are averaged by UTC day, and by week from Monday, ascending", () => {
    const days = trendOf("b", parts, "day");

    expect(days.map(({ bucket, avg_score }) => [bucket.slice(0, 10), avg_score])).toEqual([
      ["2026-11-16", 0],
      ["2026-11-21", 0.5],
      ["2026-11-22", 1],
    ]);
    expect(trendOf("b", parts, "week")).toEqual([
      {
        bucket: "2026-11-16T00:00:00+00:00",
        metric_name: "b",
        avg_score: 0.5,
        p10_score: 0.1,
        p90_score: 0.9,
        count: 3,
        inapplicable_count: 0,
        rule_based_count: 0,
      },
    ]);
  });

  test("omit names and times without scores", () => {
    const gone = { hour: "2026-11-01T00", name: "a", statistics: statisticsOf(fact(1), 1) };
    const removal = { ...gone, statistics: statisticsOf(fact(1), -1) };

    expect(sumsByName([gone, removal, { ...gone, statistics: noStatistics }])).toEqual([]);
    expect(trendOf("a", [gone, removal], "hour")).toEqual([]);
  });
});

test("sessions are ordered by score, then by id in the same direction, sessions without a value last", () => {
  const scores = [
    ["b", 0.5],
    ["n", null],
    ["a", 0.5],
    ["c", 0.1],
    ["m", null],
  ] as const;
  const latest = scores.map(([session, score]) => ({ session, score, at: "x", run: null, version: null }));
  const ordered = (order: "asc" | "desc") => comparedSessions(latest, order).map(({ session }) => session);

  expect(ordered("asc")).toEqual(["c", "a", "b", "m", "n"]);
  expect(ordered("desc")).toEqual(["b", "a", "c", "n", "m"]);
});

import { expect, test } from "vitest";
import {
  comparisonMethods,
  compareMeans,
  compareRates,
  compareScoreMeans,
  verdicts,
} from "../../../../lib/domain/statistics/compare.ts";
import {
  estimateMethods,
  meanEstimate,
  medianEstimate,
  rateEstimate,
  scoreEstimate,
} from "../../../../lib/domain/statistics/estimate.ts";
import type { Observation } from "../../../../lib/domain/statistics/observation.ts";

const observations = (
  values: readonly number[],
  clusterOf: (index: number) => string = String,
): readonly Observation[] => values.map((value, index) => ({ value, cluster: clusterOf(index) }));

const repeated = (count: number, value: number): readonly Observation[] => observations(Array(count).fill(value));

/** Traces of which the first ones pass. */
const passing = (count: number, passed: number): readonly Observation[] =>
  observations(Array.from({ length: count }, (_, index) => Number(index < passed)));

const estimates = [meanEstimate, rateEstimate, medianEstimate] as const;

const comparisons = [compareMeans, compareRates, compareScoreMeans] as const;

test("nine observations, or all in one session, have a value and no interval; ten have one", () => {
  const session = observations([1, 0, 1, 1, 0, 1, 1, 1, 1, 1, 1], () => "session");

  for (const estimate of estimates) {
    expect(estimate([])).toMatchObject({ value: null, interval: null, count: 0, clusters: 0, reason: "too_few" });
    expect(estimate(passing(9, 9))).toMatchObject({ value: 1, interval: null, count: 9, reason: "too_few" });
    expect(estimate(session)).toMatchObject({ interval: null, count: 11, clusters: 1, reason: "too_few" });
    expect(estimate(passing(10, 9))).toMatchObject({ interval: { upper: expect.any(Number) }, reason: null });
  }
});

test("sessions widen the intervals of medians, and of rates whose traces agree within them", () => {
  const values = Array.from({ length: 40 }, (_, index) => Number(index % 8 < 4));
  const width = (estimate: (typeof estimates)[number], clusterOf: (index: number) => string): number => {
    const { lower, upper } = estimate(observations(values, clusterOf)).interval!;
    return upper - lower;
  };
  const sessionOf = (index: number): string => String(Math.floor(index / 4));

  expect(width(rateEstimate, sessionOf)).toBeGreaterThan(1.5 * width(rateEstimate, String));
  expect(width(meanEstimate, sessionOf)).toBeGreaterThan(1.5 * width(meanEstimate, String));
  const spread = observations(
    values.map((_, index) => Math.floor(index / 4)),
    sessionOf,
  );
  expect(medianEstimate(spread).interval).toEqual({ lower: 1, upper: 8 });
  expect(medianEstimate(observations(spread.map(({ value }) => value))).interval).toEqual({ lower: 3, upper: 6 });
});

test("935, 880 or 800 passing traces instead of 940 of 1,000 get each of the verdicts, by each of the methods", () => {
  const comparisons = [compareMeans, compareRates].map((compare) =>
    [800, 935, 880].map((passed) => compare(passing(1000, 940), passing(1000, passed))),
  );

  for (const each of comparisons) expect(each.map(({ verdict }) => verdict)).toEqual(verdicts);
  expect(comparisons.map(([first]) => first?.method)).toEqual(comparisonMethods);
  expect(estimates.map((estimate) => estimate([]).method)).toEqual(estimateMethods);
});

test("a drop of exactly the limit is not worse, although its last digit may be beyond it", () => {
  expect(0.95 - 1).toBeLessThan(-0.05);

  // The same spread in the same clusters of both sides cancels out, which leaves an interval of no width.
  const around = (mean: number): readonly Observation[] =>
    observations(Array.from({ length: 20 }, (_, index) => mean + (index % 2 === 0 ? 0.25 : -0.25)));
  expect(compareMeans(around(1), around(0.95))).toMatchObject({ verdict: "not_worse" });
  expect(compareMeans(around(1), around(0.9499))).toMatchObject({ verdict: "worse" });
  expect(compareMeans(around(1), around(0.9499), { maxDrop: 0.1 })).toMatchObject({ verdict: "not_worse" });
});

test("equal scores from 0 to 1 have an interval, and enough of them a verdict", () => {
  expect(scoreEstimate(repeated(12, 1))).toMatchObject({
    interval: { lower: expect.closeTo(0.7124, 4), upper: 1 },
    method: "wilson_effective_n",
  });
  expect(scoreEstimate(repeated(12, 0)).interval).toEqual({ lower: 0, upper: expect.closeTo(0.2876, 4) });
  expect(scoreEstimate(repeated(12, 0.7)).interval).toEqual({
    lower: expect.closeTo(0.56, 2),
    upper: expect.closeTo(0.81, 2),
  });
  expect(scoreEstimate(repeated(10, 0.25)).interval!.lower).toBeGreaterThan(0);
  expect(compareScoreMeans(repeated(12, 1), repeated(12, 1))).toMatchObject({
    interval: { lower: expect.closeTo(-0.2876, 4), upper: expect.closeTo(0.2876, 4) },
    verdict: "cannot_tell",
    reason: null,
  });
  for (const compare of [compareScoreMeans, compareRates]) {
    expect(compare(repeated(500, 1), repeated(500, 1))).toMatchObject({ verdict: "not_worse", p_value: 1 });
    expect(compare(repeated(12, 1), repeated(12, 0))).toMatchObject({ verdict: "worse", difference: -1 });
  }
});

test("scores of another range keep the t interval, and equal ones have no verdict", () => {
  const stars = (count: number, value: number): readonly Observation[] => repeated(count, value);

  for (const values of [stars(12, 4), observations([...Array<number>(11).fill(1), 1.5]), stars(12, -0.1)])
    expect(scoreEstimate(values)).toEqual(meanEstimate(values));
  expect(compareScoreMeans(stars(12, 4), stars(12, 4))).toMatchObject({
    interval: { lower: 0, upper: 0 },
    method: "cluster_robust_t",
    verdict: "cannot_tell",
    reason: "too_few",
  });
  expect(compareScoreMeans(stars(12, 1), stars(12, 4))).toMatchObject({ method: "cluster_robust_t" });
});

test("a verdict on sessions needs ten values unlike the commonest on each side, whatever the figure", () => {
  const inSessions = (ones: number): readonly Observation[] =>
    observations(
      Array.from({ length: 400 }, (_, index) => Number(index >= ones)),
      (index) => String(index % 100),
    );

  for (const compare of comparisons) {
    for (const [before, after] of [
      [9, 10],
      [10, 9],
      [0, 0],
    ] as const)
      expect(compare(inSessions(before), inSessions(after))).toMatchObject({
        interval: { lower: expect.any(Number) },
        verdict: "cannot_tell",
        reason: "too_few",
      });
    expect(compare(inSessions(10), inSessions(10))).toMatchObject({ verdict: "not_worse", reason: null });
  }
  expect(compareScoreMeans(passing(400, 391), passing(400, 391))).toMatchObject({ verdict: "not_worse" });
});

test("more than a tenth of missing items, or fewer than ten observations of a side, leave the verdict open", () => {
  const [good, bad] = [passing(200, 190), passing(200, 90)];

  for (const compare of [compareRates, compareMeans]) {
    expect(compare(good, bad, { missingShare: 0.1 })).toMatchObject({ verdict: "worse", reason: null });
    expect(compare(good, bad, { missingShare: 0.101 })).toMatchObject({
      difference: -0.5,
      interval: { upper: expect.any(Number) },
      verdict: "cannot_tell",
      reason: "too_many_missing",
    });
    expect(compare(good, passing(9, 0))).toEqual({
      difference: -0.95,
      interval: null,
      method: expect.any(String),
      p_value: null,
      detectable_difference: null,
      verdict: "cannot_tell",
      reason: "too_few",
    });
    expect(compare(good, [])).toMatchObject({ difference: null, verdict: "cannot_tell", reason: "too_few" });
  }
});

test("sessions that both sides share make a difference more certain, for rates too", () => {
  const [before, after] = [passing(200, 150), passing(200, 140)];
  const others = after.map(({ value, cluster }) => ({ value, cluster: `other ${cluster}` }));

  for (const compare of [compareRates, compareMeans]) {
    const [shared, separate] = [compare(before, after), compare(before, others)];
    expect(shared.difference).toBe(separate.difference);
    expect(shared.p_value).toBeLessThan(0.01);
    expect(separate.p_value).toBeGreaterThan(0.2);
    expect(shared.interval!.upper).toBeLessThan(0);
    expect(separate.interval!.upper).toBeGreaterThan(0);
  }
});

test("a small drop of few traces leaves the verdict open: a greater one lies in its interval", () => {
  for (const compare of [compareMeans, compareRates])
    expect(compare(passing(50, 45), passing(50, 44))).toMatchObject({ difference: -0.02, verdict: "cannot_tell" });
});

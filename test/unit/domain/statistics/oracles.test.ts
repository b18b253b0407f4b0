import { expect, test } from "vitest";
import { compareMeans, compareRates, type Comparison } from "../../../../lib/domain/statistics/compare.ts";
import {
  type IntervalEstimate,
  meanEstimate,
  medianEstimate,
  rateEstimate,
  scoreEstimate,
} from "../../../../lib/domain/statistics/estimate.ts";
import type { Observation } from "../../../../lib/domain/statistics/observation.ts";
import { quantileOfHeads, quantileOfT, twoSidedTailOfT } from "../../../../lib/domain/statistics/t-distribution.ts";
import oracles from "../../../fixtures/statistics/oracles.json" with { type: "json" };

interface RecordedSample {
  readonly values: readonly number[];
  /** Sizes of the clusters, in the order of the values; without them each value is a cluster of its own. */
  readonly sizes?: readonly number[];
}

const sampleOf = (name: string) => {
  const { values, sizes = values.map(() => 1) }: RecordedSample = oracles.samples[name as keyof typeof oracles.samples];
  return { values, clusters: sizes.flatMap((size, index) => Array<number>(size).fill(index)) };
};

/** @param side distinguishes the clusters of two samples that share none. */
const observationsOf = (name: string, side = ""): readonly Observation[] => {
  const { values, clusters } = sampleOf(name);
  return values.map((value, index) => ({ value, cluster: `${side}${clusters[index]}` }));
};

const close = (value: number, digits = 10): unknown => expect.closeTo(value, digits);

const figures: Readonly<Record<string, (observations: readonly Observation[]) => IntervalEstimate>> = {
  mean: meanEstimate,
  rate: rateEstimate,
  score: scoreEstimate,
  median: medianEstimate,
};

test.each(
  Object.entries(oracles.samples).flatMap(([name, { estimates }]) =>
    Object.entries(estimates).map(([figure, estimate]) => [figure, name, estimate] as const),
  ),
)("the %s of %s and its interval are those of scipy and statsmodels", (figure, name, { value, interval }) => {
  const { values, clusters } = sampleOf(name);

  expect(figures[figure]?.(observationsOf(name))).toMatchObject({
    value: close(value),
    interval: { lower: close(interval.lower), upper: close(interval.upper) },
    count: values.length,
    clusters: new Set(clusters).size,
    reason: null,
  });
});

interface ComparisonOracle {
  readonly baseline: string;
  readonly candidate: string;
  readonly difference: number;
  readonly interval: { readonly lower: number; readonly upper: number };
  readonly p_value: number;
}

const expectComparison = (comparison: Comparison, { difference, interval, p_value }: ComparisonOracle): void =>
  expect(comparison).toMatchObject({
    difference: close(difference),
    interval: { lower: close(interval.lower), upper: close(interval.upper) },
    // The package's error function is exact to 1.2e-7.
    p_value: close(p_value, 6),
  });

test.each(oracles.means)("means of $baseline and $candidate differ as scipy and statsmodels say", (oracle) => {
  expect.hasAssertions();
  expectComparison(compareMeans(observationsOf(oracle.baseline, "a"), observationsOf(oracle.candidate, "b")), oracle);
});

test.each(oracles.rates)("rates of $baseline and $candidate differ as statsmodels says", (oracle) => {
  expect.hasAssertions();
  expectComparison(compareRates(observationsOf(oracle.baseline, "a"), observationsOf(oracle.candidate, "b")), oracle);
});

test.each(oracles.paired_means)("means over the same clusters differ as a paired t test says", (oracle) => {
  expect.hasAssertions();
  expectComparison(compareMeans(observationsOf(oracle.baseline), observationsOf(oracle.candidate)), oracle);
});

test("distributions agree with scipy", () => {
  for (const { probability, df, value } of oracles.quantiles_of_t)
    expect(quantileOfT(probability, df) / value).toBeCloseTo(1, 8);
  for (const { t, df, value } of oracles.tails_of_t) expect(twoSidedTailOfT(t, df)).toBeCloseTo(value, 9);
  for (const { probability, tosses, value } of oracles.quantiles_of_heads)
    expect(quantileOfHeads(probability, tosses)).toBe(value);
});

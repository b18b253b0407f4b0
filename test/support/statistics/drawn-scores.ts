import type { Observation } from "../../../lib/domain/statistics/observation.ts";
import type { Random } from "../random.ts";

/** Sizes of sessions, and how much their traces resemble each other. */
export interface SessionDesign {
  readonly title: string;
  readonly sizes: readonly [min: number, max: number];
  /** Correlation of two traces of a session. */
  readonly correlation: number;
}

/** Possible scores, ascending, each with its probability. */
export type ScoreDistribution = readonly (readonly [value: number, probability: number])[];

/** Distribution of values of 0 or 1. */
export const rateOf = (rate: number): ScoreDistribution => [
  [0, 1 - rate],
  [1, rate],
];

export const meanOfDistribution = (distribution: ScoreDistribution): number =>
  distribution.reduce((sum, [value, probability]) => sum + value * probability, 0);

const levels = (probabilities: readonly number[]): ScoreDistribution =>
  probabilities.map((probability, index) => [index / (probabilities.length - 1), probability]);

/** Distributions of scores that intervals are measured with, by title. */
export const scoreDistributions: Readonly<Record<string, ScoreDistribution>> = {
  "rate of 0.5": rateOf(0.5),
  "rate of 0.9": rateOf(0.9),
  "rate of 0.97": rateOf(0.97),
  "five levels, even": levels([0.2, 0.2, 0.2, 0.2, 0.2]),
  "five levels, mostly high": levels([0.02, 0.03, 0.05, 0.1, 0.8]),
  "only 0.6, 0.7, 0.8": [0.6, 0.7, 0.8].map((value) => [value, 1 / 3]),
};

/** Returns a distribution whose mean is lower by `drop`: of each value the same share moves to the next lower one. */
export const lowered = (distribution: ScoreDistribution, drop: number): ScoreDistribution => {
  const steps = distribution.map(([value], index) => value - (distribution[index - 1]?.[0] ?? value));
  const share = drop / distribution.reduce((sum, [, probability], index) => sum + probability * (steps[index] ?? 0), 0);
  return distribution.map(([value, probability], index) => [
    value,
    probability * (index === 0 ? 1 : 1 - share) + share * (distribution[index + 1]?.[1] ?? 0),
  ]);
};

const valueAt = (distribution: ScoreDistribution, position: number): number => {
  let sum = 0;
  return distribution.find(([, probability]) => (sum += probability) > position)?.[0] ?? distribution.at(-1)?.[0] ?? 0;
};

/**
 * Draws scores. Each copies its session's draw with the square root of the correlation as probability.
 *
 * @param side distinguishes the sessions of two samples.
 */
export const drawnScores = (
  random: Random,
  count: number,
  distribution: ScoreDistribution,
  { sizes, correlation }: SessionDesign,
  side = "",
): readonly Observation[] => {
  const observations: Observation[] = [];
  const copying = Math.sqrt(correlation);
  for (let session = 0; observations.length < count; session += 1) {
    const common = random.next();
    const end = Math.min(count, observations.length + random.between(...sizes));
    while (observations.length < end) {
      const value = valueAt(distribution, random.chance(copying) ? common : random.next());
      observations.push({ value, cluster: `${side}${session}` });
    }
  }
  return observations;
};

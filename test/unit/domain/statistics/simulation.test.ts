import { expect, test } from "vitest";
import { compareMeans, compareRates, type Comparison } from "../../../../lib/domain/statistics/compare.ts";
import { rateEstimate } from "../../../../lib/domain/statistics/estimate.ts";
import type { Observation } from "../../../../lib/domain/statistics/observation.ts";
import { type Random, seeded } from "../../../support/random.ts";
import { runsAllCases } from "../../../support/sample.ts";

/** Fixed, since a few seeds of a hundred exceed a bound by chance. */
const seed = Number(process.env["STATISTICS_SEED"] ?? 20_261);
const draws = runsAllCases ? 2_000 : 150;

/** Share of draws by which a result may miss a bound by chance: two standard errors. */
const tolerance = (share: number): number => 2 * Math.sqrt((share * (1 - share)) / draws);

interface Design {
  readonly title: string;
  readonly sizes: readonly [min: number, max: number];
  /** Correlation of two traces of a session. */
  readonly correlation: number;
}

const designs: readonly Design[] = [
  { title: "of their own", sizes: [1, 1], correlation: 0 },
  { title: "in sessions of about five", sizes: [3, 7], correlation: 0.25 },
];

/** Draws traces that pass at a rate. Each copies its session's draw with the square root of the correlation as probability. */
const drawn = (random: Random, count: number, rate: number, { sizes, correlation }: Design, side = "") => {
  const observations: Observation[] = [];
  const copying = Math.sqrt(correlation);
  for (let session = 0; observations.length < count; session += 1) {
    const common = random.next();
    const end = Math.min(count, observations.length + random.between(...sizes));
    while (observations.length < end) {
      const value = (random.chance(copying) ? common : random.next()) < rate ? 1 : 0;
      observations.push({ value, cluster: `${side}${session}` });
    }
  }
  return observations;
};

const shareOf = (work: (random: Random) => boolean, label: string): number => {
  const random = seeded(seed).fork(label);
  return Array.from({ length: draws }, () => work(random)).filter(Boolean).length / draws;
};

const cases = [30, 200, 2_000].flatMap((count) => designs.map((design) => ({ title: design.title, count, design })));

test.each(cases)(`intervals of $count traces $title cover the truth as often as they say (seed ${seed})`, (each) => {
  const covers = shareOf((random) => {
    const rate = random.between(1, 9) / 10;
    const { interval } = rateEstimate(drawn(random, each.count, rate, each.design));
    return interval !== null && interval.lower <= rate && rate <= interval.upper;
  }, `${each.count} ${each.title}`);

  expect(covers).toBeGreaterThanOrEqual(0.93 - tolerance(0.93));
  expect(covers).toBeLessThanOrEqual(0.97 + tolerance(0.97));
});

const comparisons = [
  ...cases.map((each) => Object.assign({ figure: "rates", compare: compareRates }, each)),
  ...cases.slice(0, 4).map((each) => Object.assign({ figure: "means", compare: compareMeans }, each)),
];

test.each(comparisons)(
  `verdicts on $figure of $count traces $title are wrong no more often than they say (seed ${seed})`,
  ({ count, design, figure, compare }) => {
    const compared = (random: Random, drop: number): Comparison =>
      compare(drawn(random, count, 0.8, design, "a"), drawn(random, count, 0.8 - drop, design, "b"));
    const verdictShare = (verdict: Comparison["verdict"], drop: number): number =>
      shareOf((random) => compared(random, drop).verdict === verdict, `${figure} ${count} ${design.title} ${drop}`);
    const pilot = seeded(seed).fork("pilot");
    const detectable = Array.from({ length: 20 }, () => compared(pilot, 0.1).detectable_difference ?? 0);
    const difference = detectable.reduce((a, b) => a + b) / detectable.length;

    expect(verdictShare("worse", 0)).toBeLessThanOrEqual(0.05);
    expect(verdictShare("cannot_tell", 0.9 * difference)).toBeGreaterThanOrEqual(0.8 - tolerance(0.8));
    // Three times as far beyond the limit, half of the verdicts or more are `worse`.
    expect(verdictShare("worse", 0.05 + 3 * (difference - 0.05))).toBeGreaterThanOrEqual(0.5);
  },
);

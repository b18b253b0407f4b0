import Table from "cli-table3";
import { compareScoreMeans } from "../../lib/domain/statistics/compare.ts";
import { meanEstimate, scoreEstimate, scoreInterval, type Interval } from "../../lib/domain/statistics/estimate.ts";
import { sampleOf, type Observation } from "../../lib/domain/statistics/observation.ts";
import { seeded } from "../support/random.ts";
import {
  drawnScores,
  lowered,
  meanOfDistribution,
  scoreDistributions,
  type SessionDesign,
} from "../support/statistics/drawn-scores.ts";

const draws = 2_000;
const maxDrop = 0.05;
const counts = [10, 20, 50, 200];

const designs: readonly SessionDesign[] = [
  { title: "alone", sizes: [1, 1], correlation: 0 },
  { title: "sessions of 4, 0.4", sizes: [4, 4], correlation: 0.4 },
];

const widthOf = ({ lower, upper }: Interval): number => upper - lower;
const covers = ({ lower, upper }: Interval, value: number): boolean => lower <= value + 1e-12 && value - 1e-12 <= upper;
const percent = (part: number, whole: number): string => (whole === 0 ? "–" : `${((100 * part) / whole).toFixed(1)} %`);

/** Number of values unlike the commonest one. */
const unlikeOf = (observations: readonly Observation[]): number =>
  observations.length -
  Math.max(...Array.from(Map.groupBy(observations, ({ value }) => value).values(), ({ length }) => length));

const table = (head: readonly string[]) => new Table({ head: [...head], style: { head: [], border: [] } });

/** Prints the share of intervals of rates that cover them: exact, over the rates from 0.01 to 0.5, which mirror the others. */
const printRates = (): void => {
  const rows = table(["rates from 0.01 to 0.5", "mean coverage", "lowest coverage", "at"]);
  for (const count of counts) {
    const intervals = Array.from({ length: count + 1 }, (_, ones) =>
      scoreInterval(
        sampleOf(Array.from({ length: count }, (_item, id) => ({ value: Number(id < ones), cluster: `${id}` })))!,
      ),
    );
    const coverages = Array.from({ length: 491 }, (_, step) => {
      const rate = (step + 10) / 1000;
      let [probability, coverage] = [(1 - rate) ** count, 0];
      for (const [ones, interval] of intervals.entries()) {
        if (covers(interval, rate)) coverage += probability;
        probability *= ((count - ones) / (ones + 1)) * (rate / (1 - rate));
      }
      return { rate, coverage };
    });
    const lowest = coverages.reduce((a, b) => (b.coverage < a.coverage ? b : a));
    const mean = coverages.reduce((sum, { coverage }) => sum + coverage, 0) / coverages.length;
    rows.push([`n = ${count}`, percent(mean, 1), percent(lowest.coverage, 1), lowest.rate]);
  }
  console.log(rows.toString());
};

/** Measures intervals of scores from 0 to 1 by simulation: coverage, width beside t, and false verdicts `not_worse`. */
export const benchIntervals = (seed: number): void => {
  printRates();
  const rows = table([
    `${draws} draws`,
    "n",
    "cover",
    "width",
    "of t's",
    "t covers",
    "ten unlike",
    "cover then",
    "false not_worse",
    "true not_worse",
  ]);
  for (const design of designs)
    for (const [title, distribution] of Object.entries(scoreDistributions))
      for (const count of counts) {
        const random = seeded(seed).fork(`${design.title} ${title} ${count}`);
        const [mean, worse] = [meanOfDistribution(distribution), lowered(distribution, maxDrop)];
        const sums = {
          covered: 0,
          width: 0,
          coveredByT: 0,
          widthOfT: 0,
          enough: 0,
          coveredThen: 0,
          wrong: 0,
          right: 0,
        };
        for (let draw = 0; draw < draws; draw += 1) {
          const baseline = drawnScores(random, count, distribution, design, "a");
          const [{ interval }, { interval: ofT }] = [scoreEstimate(baseline), meanEstimate(baseline)];
          if (interval === null || ofT === null) throw new Error("A sample of ten scores has no interval.");
          const isCovered = covers(interval, mean);
          sums.covered += Number(isCovered);
          sums.width += widthOf(interval);
          sums.coveredByT += Number(covers(ofT, mean));
          sums.widthOfT += widthOf(ofT);
          if (unlikeOf(baseline) >= 10) {
            sums.enough += 1;
            sums.coveredThen += Number(isCovered);
          }
          const verdictOn = (candidate: readonly Observation[]) =>
            compareScoreMeans(baseline, candidate, { maxDrop }).verdict === "not_worse";
          sums.wrong += Number(verdictOn(drawnScores(random, count, worse, design, "b")));
          sums.right += Number(verdictOn(drawnScores(random, count, distribution, design, "b")));
        }
        rows.push([
          `${title}, ${design.title}`,
          count,
          percent(sums.covered, draws),
          (sums.width / draws).toFixed(3),
          (sums.width / sums.widthOfT).toFixed(2),
          percent(sums.coveredByT, draws),
          percent(sums.enough, draws),
          percent(sums.coveredThen, sums.enough),
          percent(sums.wrong, draws),
          percent(sums.right, draws),
        ]);
      }
  console.log(rows.toString());
};

import Table from "cli-table3";
import { correctedRate } from "../../../lib/domain/labels/corrected-rate.ts";
import { rateEstimate } from "../../../lib/domain/statistics/estimate.ts";
import { sampleOf } from "../../../lib/domain/statistics/observation.ts";
import { seeded } from "../../support/random.ts";
import { alone, labelledVerdicts, weakJudges, type JudgeBias } from "../../support/statistics/labelled-verdicts.ts";

const draws = 4_000;
const labels = 100;
const counts = [50, 200, 1_000];

const goodJudge: JudgeBias = { title: "good", sensitivity: 0.95, specificity: 0.85 };
const sessions = { title: "sessions of 4, 0.4", sizes: [4, 4], correlation: 0.4 } as const;

/** Rows of the table: traces of their own and labels of others, labels of the same traces, and sessions. */
const designs = [
  ...[0.5, 0.7, 0.8].flatMap((rate) => weakJudges.map((judge) => ({ judge, rate, isAmong: false, sessions: alone }))),
  { judge: goodJudge, rate: 0.7, isAmong: false, sessions: alone },
  ...[weakJudges[0], goodJudge].flatMap((judge) => (judge ? { judge, rate: 0.7, isAmong: true, sessions: alone } : [])),
  ...[weakJudges[0], goodJudge].flatMap((judge) => (judge ? { judge, rate: 0.7, isAmong: false, sessions } : [])),
];

const percent = (part: number, whole: number): string => `${((100 * part) / whole).toFixed(1)} %`;

/** Prints how often corrected rates are given, and how often their intervals and those of raw rates cover the truth. */
export const benchCorrections = (seed: number): void => {
  console.log(`Pass rates of ${labels} labels corrected, ${draws} draws a row\n`);
  const head = ["sensitivity, specificity", "true rate", "n", "raw covers", "given", "corrected covers", "width"];
  const rows = new Table({ head, style: { head: [], border: [] } });
  for (const { judge, rate, isAmong, sessions: design } of designs)
    for (const count of counts) {
      if (isAmong && count < labels) continue;
      const random = seeded(seed).fork(`${judge.title} ${rate} ${count} ${isAmong} ${design.title}`);
      const sums = { raw: 0, given: 0, covering: 0, width: 0 };
      for (let draw = 0; draw < draws; draw += 1) {
        const drawn = labelledVerdicts(random, judge, { rate, count, labels, isAmong, sessions: design });
        const { interval } = rateEstimate(drawn.verdicts);
        if (interval !== null && interval.lower <= rate && rate <= interval.upper) sums.raw += 1;
        const { lower, upper } = correctedRate(sampleOf(drawn.verdicts), {
          confusion: drawn.confusion,
          isRandom: true,
        });
        if (lower === null || upper === null) continue;
        sums.given += 1;
        sums.width += upper - lower;
        if (lower <= rate && rate <= upper) sums.covering += 1;
      }
      const notes = `${isAmong ? ", labels of these traces" : ""}${design === alone ? "" : `, ${design.title}`}`;
      rows.push([
        `${judge.sensitivity}, ${judge.specificity}${notes}`,
        rate,
        count,
        percent(sums.raw, draws),
        percent(sums.given, draws),
        percent(sums.covering, sums.given),
        (sums.width / sums.given).toFixed(2),
      ]);
    }
  console.log(rows.toString());
};

import { expect, test } from "vitest";
import { correctedRate } from "../../../../lib/domain/labels/corrected-rate.ts";
import { sampleOf } from "../../../../lib/domain/statistics/observation.ts";
import { seeded } from "../../../support/random.ts";
import { runsAllCases } from "../../../support/sample.ts";
import { alone, labelledVerdicts, weakJudges } from "../../../support/statistics/labelled-verdicts.ts";

const seed = Number(process.env["STATISTICS_SEED"] ?? 20_261);
const draws = runsAllCases ? 2_000 : 400;

/** Share of draws by which a result may miss a bound by chance: two standard errors. */
const tolerance = (share: number, count = draws): number => 2 * Math.sqrt((share * (1 - share)) / count);

const designs = [50, 200, 1_000].flatMap((count) => weakJudges.map((judge) => ({ title: judge.title, count, judge })));

test.each(designs)(
  `100 labels nearly always correct $count verdicts of a $title judge, and the interval covers the truth (seed ${seed})`,
  ({ judge, count }) => {
    const random = seeded(seed).fork(`${judge.title} ${count}`);
    const rate = 0.7;
    const corrected = Array.from({ length: draws }, () => {
      const design = { rate, count, labels: 100, isAmong: false, sessions: alone };
      const { verdicts, confusion } = labelledVerdicts(random, judge, design);
      return correctedRate(sampleOf(verdicts), { confusion, isRandom: true });
    }).filter((each) => each.rate !== null);
    const covering = corrected.filter(({ lower, upper }) => (lower ?? 1) <= rate && rate <= (upper ?? 0));
    const coverage = covering.length / corrected.length;

    expect(corrected.length / draws).toBeGreaterThanOrEqual(0.95);
    expect(coverage).toBeGreaterThanOrEqual(0.93 - tolerance(0.93));
    expect(coverage).toBeLessThanOrEqual(0.97 + tolerance(0.97));
  },
);

test(`verdicts in sessions count as fewer than they are (seed ${seed})`, () => {
  const random = seeded(seed).fork("sessions");
  const judge = { title: "", sensitivity: 0.95, specificity: 0.95 };
  const sessions = { title: "", sizes: [8, 8], correlation: 0.6 } as const;
  const design = { rate: 0.6, count: 320, labels: 400, isAmong: false, sessions };
  const covering = Array.from({ length: draws }, () => {
    const { verdicts, confusion } = labelledVerdicts(random, judge, design);
    const { lower, upper } = correctedRate(sampleOf(verdicts), { confusion, isRandom: true });
    return (lower ?? 1) <= design.rate && design.rate <= (upper ?? 0);
  }).filter(Boolean);

  expect(covering.length / draws).toBeGreaterThanOrEqual(0.93 - tolerance(0.93));
});

test(`a judge without skill is told so in nine of ten sets (seed ${seed})`, () => {
  const random = seeded(seed).fork("chance");
  const reasons = Array.from({ length: draws }, () => {
    const design = { rate: 0.6, count: 200, labels: 100, isAmong: false, sessions: alone };
    const { verdicts, confusion } = labelledVerdicts(random, { title: "", sensitivity: 0.6, specificity: 0.4 }, design);
    return correctedRate(sampleOf(verdicts), { confusion, isRandom: true }).reason;
  });
  const toldShare = reasons.filter((reason) => reason === "not_better_than_chance").length / draws;

  expect(toldShare).toBeGreaterThanOrEqual(0.9 - tolerance(0.9));
});

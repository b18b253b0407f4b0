import { expect, test } from "vitest";
import {
  kappaOf,
  sensitivityOf,
  skillOf,
  specificityOf,
  type FigureInterval,
} from "../../../../lib/domain/labels/agreement.ts";
import type { Confusion } from "../../../../lib/domain/labels/confusion.ts";
import { correctedRate } from "../../../../lib/domain/labels/corrected-rate.ts";
import { judgeWorth } from "../../../../lib/domain/labels/judge-worth.ts";
import { peopleAgreement } from "../../../../lib/domain/labels/people.ts";
import { sampleOfCounts } from "../../../../lib/domain/statistics/observation.ts";
import { scoreInterval } from "../../../../lib/domain/statistics/estimate.ts";
import recorded from "../../../fixtures/statistics/labels.json" with { type: "json" };

const tables = recorded.tables.map(({ cells: [tp = 0, fp = 0, fn = 0, tn = 0], ...figures }) => ({
  confusion: { tp, fp, fn, tn },
  n: tp + fp + fn + tn,
  ...figures,
}));

const close = (value: number | null | undefined): unknown => (value == null ? null : expect.closeTo(value, 9));

const figure = ([value, lower, upper]: readonly (number | null)[]) => ({
  value: close(value),
  lower: close(lower),
  upper: close(upper),
});

const times = <Value>(count: number, value: Value): readonly Value[] => Array<Value>(count).fill(value);

/** Items with one label each that have the table. */
const itemsOf = ({ tp, fp, fn, tn }: Confusion) => [
  ...times(tp, { votes: [true], verdict: true }),
  ...times(fp, { votes: [false], verdict: true }),
  ...times(fn, { votes: [true], verdict: false }),
  ...times(tn, { votes: [false], verdict: false }),
];

test("agreement, sensitivity and specificity of 600 tables are those of scikit-learn and statsmodels", () => {
  expect(tables).toHaveLength(600);
  for (const { confusion, n, agreement, sensitivity, specificity } of tables) {
    expect(judgeWorth(itemsOf(confusion))).toMatchObject({ n, confusion, agreement: close(agreement) });
    expect(sensitivityOf(confusion)).toEqual(figure(sensitivity));
    expect(specificityOf(confusion)).toEqual(figure(specificity));
  }
});

test("kappa and its interval are those of scikit-learn and statsmodels, cut to -1 and 1 and without ends below ten labels or if all verdicts or labels are alike", () => {
  for (const { confusion, n, kappa } of tables) {
    const [value = null, lower = null, upper = null] = kappa;
    const { tp, fp, fn, tn } = confusion;
    const hasEnds = n >= 10 && Math.min(tp + fp, fn + tn, tp + fn, fp + tn) > 0;
    const ends = hasEnds && lower !== null && upper !== null ? [Math.max(-1, lower), Math.min(1, upper)] : [null, null];
    expect<FigureInterval>(kappaOf(confusion)).toEqual(figure([value, ...ends]));
  }
});

test("sensitivity + specificity - 1 has Newcombe's interval of statsmodels", () => {
  const ends = (all: readonly (number | null | undefined)[]) => all.map(close);
  for (const { confusion, skill } of tables) {
    const { lower, upper } = skillOf(confusion) ?? {};
    expect([lower ?? null, upper ?? null]).toEqual(ends(skill ?? [null, null]));
  }
});

test("people's agreement is Fleiss' kappa of statsmodels", () => {
  for (const { votes, kappa } of recorded.people)
    expect(peopleAgreement(votes.map((ofItem) => ofItem.map(Boolean))).kappa).toEqual(close(kappa));
});

test("corrected rates solve the inequality of the paper, whose published ends are near for a good judge with many labels", () => {
  const distances: number[] = [];
  const reasons = new Set<string>();
  for (const { confusion, n, corrected } of tables) {
    const [passed = 0, count = 0, rate, lower = 0, upper = 0, publishedLower = 0, publishedUpper = 0] = corrected ?? [];
    const sample = sampleOfCounts(count, passed);
    const answer = correctedRate(sample, { confusion, isRandom: true });
    if (answer.reason !== null) reasons.add(`${answer.reason}${corrected === null ? " without a rate" : ""}`);
    // Of equal verdicts it is no narrower than the interval of the judge's rate.
    const raw = sample === null ? { lower: 0, upper: 1 } : scoreInterval(sample);
    const ends = [
      passed === count ? Math.min(lower, raw.lower) : lower,
      passed === 0 ? Math.max(upper, raw.upper) : upper,
    ];
    const expected = answer.rate === null ? [null, null, null] : [rate, ...ends];
    expect([answer.rate, answer.lower, answer.upper, answer.n_labels]).toEqual([...expected.map(close), n]);
    const skill = skillOf(confusion)?.lower ?? 0;
    if (n >= 300 && skill > 0.6) distances.push(Math.abs(lower - publishedLower), Math.abs(upper - publishedUpper));
  }

  // Where a rate can be computed, only a judge that may have no skill has none, and one whose verdicts no rate explains.
  expect([...reasons].filter((reason) => !reason.endsWith("without a rate")).toSorted()).toEqual([
    "labels_contradict",
    "not_better_than_chance",
  ]);
  expect(distances.length).toBeGreaterThan(20);
  expect(Math.max(...distances)).toBeLessThan(0.02);
});

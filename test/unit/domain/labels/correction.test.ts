import { expect, test } from "vitest";
import { correctionOf, type JudgeCalibration } from "../../../../lib/domain/labels/correction.ts";

/** Verdicts of a judge of which every second one passes, each of a session of its own. */
const verdictsOf = (judge: string) =>
  Array.from({ length: 40 }, (_, at) => ({ judge, passed: at % 2 === 0, cluster: `${judge} ${at}` }));

const labelsAbout = (judge: string, set: string, count = 50): JudgeCalibration => ({
  judge,
  set,
  isRandom: true,
  confusion: { tp: 0.9 * count, fp: 0.2 * count, fn: 0.1 * count, tn: 0.8 * count },
});

test("verdicts are corrected by the largest random set of labels about their own judge", () => {
  const calibrations = [
    { ...labelsAbout("a", "picked", 200), isRandom: false },
    labelsAbout("a", "newer", 20),
    labelsAbout("a", "larger"),
    labelsAbout("b", "largest", 100),
  ];

  expect(correctionOf(calibrations, verdictsOf("a"))).toMatchObject({ label_set_id: "larger", n_labels: 100 });
});

test("verdicts of several judges are not corrected by labels about one, or about each", () => {
  const calibrations = [labelsAbout("a", "one"), labelsAbout("b", "one")];

  expect(correctionOf(calibrations, [...verdictsOf("a"), ...verdictsOf("b")])).toEqual({
    judge_rate: 0.5,
    label_set_id: null,
    rate: null,
    lower: null,
    upper: null,
    n_labels: 0,
    reason: "several_judges",
  });
});

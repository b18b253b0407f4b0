import { describe, expect, test } from "vitest";
import { seeded } from "../../support/random.ts";
import { areaUnderCurve, interval, kappa, sensitivity, specificity, type Judged } from "./agreement.ts";

const judged = (value: number, solved: boolean, task = "t"): Judged => ({ value, passed: value >= 0.5, solved, task });

describe("agreement with known outcomes", () => {
  test("agreement is 1 for correct judgements and 0 for random ones", () => {
    const right = [judged(1, true), judged(0.75, true), judged(0, false), judged(0.25, false)];

    expect([kappa(right), areaUnderCurve(right), sensitivity(right), specificity(right)]).toEqual([1, 1, 1, 1]);
    expect(kappa([judged(1, true), judged(1, false)])).toBe(0);
  });

  test("kappa, sensitivity and specificity match a textbook example", () => {
    // 20 solved and passed, 5 only solved, 10 only passed, 15 neither: kappa is 0.4.
    const table = [
      ...Array.from({ length: 20 }, () => judged(1, true)),
      ...Array.from({ length: 5 }, () => judged(0, true)),
      ...Array.from({ length: 10 }, () => judged(1, false)),
      ...Array.from({ length: 15 }, () => judged(0, false)),
    ];

    expect(kappa(table)).toBeCloseTo(0.4, 10);
    expect([sensitivity(table), specificity(table)]).toEqual([0.8, 0.6]);
    expect(areaUnderCurve(table)).toBeCloseTo(0.7, 10);
  });

  test("ties count half in the area under the curve", () => {
    expect(areaUnderCurve([judged(0.5, true), judged(0.5, false), judged(0.25, false)])).toBe(0.75);
  });

  test("agreement is null when one kind of outcome is missing", () => {
    expect([areaUnderCurve([judged(1, true)]), specificity([judged(1, true)]), kappa([])]).toEqual([null, null, null]);
  });

  test("the interval over tasks is reproducible by seed and contains the figure", () => {
    const many = Array.from({ length: 60 }, (_, index) =>
      judged(((index * 7) % 10) / 10, index % 3 > 0, String(index % 12)),
    );
    const [low = 0, high = 0] = interval(many, areaUnderCurve, seeded(1)) ?? [];
    const area = areaUnderCurve(many) ?? -1;

    expect(low < area && area < high).toBe(true);
    expect(interval(many, areaUnderCurve, seeded(1))).toEqual([low, high]);
    expect(interval([], areaUnderCurve, seeded(1))).toBeNull();
  });
});

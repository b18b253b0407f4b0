import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { folded, readFold, type Fold, type FoldedScores } from "../../../../lib/domain/metrics/fold.ts";
import type { Json } from "../../../../lib/domain/json.ts";

const scores = new Map([
  ["t1", 1],
  ["t2", null],
  ["t3", 0.25],
  ["t4", 0.5],
]);
const whole = (given: FoldedScores["scores"]): FoldedScores => ({
  scores: given,
  inSession: given.size,
  partlyRead: 0,
});
const fold = (by: Fold["by"], below: number | null = null): Fold => ({ over: "tone", by, below });

describe("a fold", () => {
  test.each<[Fold, number, string]>([
    [fold("min"), 0.25, "3 of 4 traces have a score of tone; the lowest is 0.25, of trace t3."],
    [fold("mean"), 1.75 / 3, "3 of 4 traces have a score of tone; the score is their mean."],
    [fold("share_below", 0.5), 2 / 3, "3 of 4 traces have a score of tone; 1 of them is below 0.5."],
    [fold("share_below", 0), 1, "3 of 4 traces have a score of tone; 0 of them are below 0."],
  ])("of %j makes one score of those that count", (given, value, reason) => {
    const result = folded(given, whole(scores));
    expect(result.value).toBeCloseTo(value, 10);
    expect(result).toMatchObject({ reason, details: { traces_in_session: 4, traces_scored: 3 } });
  });

  test("has no score where no trace has one", () => {
    expect(folded(fold("mean"), whole(new Map([["t1", null]])))).toMatchObject({
      value: null,
      reason: "None of the session's traces has a usable score of tone.",
    });
    expect(folded(fold("min"), whole(new Map()))).toMatchObject({ value: null, reason: "The session has no traces." });
  });

  test("says how much of a session it was not made of", () => {
    const part = { scores, inSession: 250, partlyRead: 1 };
    expect(folded(fold("min"), part)).toMatchObject({
      reason:
        "3 of the newest 4 of 250 traces have a score of tone; the lowest is 0.25, of trace t3. Of 1 of them only the newest scores were looked at.",
      details: { traces_in_session: 250, traces_left_out: 246, traces_partly_read: 1, traces_scored: 3 },
    });
    expect(folded(fold("min"), { ...part, scores: new Map([["t2", null]]) }).reason).toBe(
      "None of the session's newest 1 of 250 traces has a usable score of tone. Of 1 of them only the newest scores were looked at.",
    );
  });

  test("lies between the lowest and the highest score, in whatever order they come", () => {
    const values = fc.array(fc.integer({ min: 0, max: 10_000 }), { minLength: 1, maxLength: 30 });
    fc.assert(
      fc.property(values, (tenThousandths) => {
        const given = tenThousandths.map((value) => value / 10_000);
        const byTrace = (list: readonly number[]) => whole(new Map(list.map((value, place) => [`t${place}`, value])));
        const [min, mean] = [folded(fold("min"), byTrace(given)).value, folded(fold("mean"), byTrace(given)).value];
        expect(min).toBe(Math.min(...given));
        expect(mean).toBeGreaterThanOrEqual(Math.min(...given));
        expect(mean).toBeLessThanOrEqual(Math.max(...given));
        expect(folded(fold("mean"), byTrace(given.toReversed())).value).toBe(mean);
        const share = folded(fold("share_below", 0.5), byTrace(given)).value ?? 0;
        expect(share * given.length).toBeCloseTo(given.filter((value) => value >= 0.5).length, 6);
      }),
      { numRuns: 100 },
    );
  });

  test.each<[Json, string, string]>([
    ["min", "", "Input should be a valid dictionary"],
    [{ by: "min" }, "over", "Input should be the name of a score of traces, of at most 255 characters"],
    [{ over: "tone", by: "median" }, "by", "Input should be one of min, mean, share_below"],
    [{ over: "tone", by: "share_below" }, "below", "Input should be a number from 0 to 1"],
    [{ over: "tone", by: "min", below: 0.5 }, "below", "Only share_below has it"],
    [{ over: "tone", by: "min", of: 1 }, "of", "Known here are: over, by, below"],
  ])("is refused with what is wrong: %j", (given, path, msg) => {
    const flaws: string[][] = [];
    expect(readFold(given, (at, what) => flaws.push([at.join("."), what]))).toBeNull();
    expect(flaws).toEqual([[path, msg]]);
  });

  test("is read as it is sent", () => {
    expect(readFold({ over: "tone", by: "share_below", below: 0.5 }, () => undefined)).toEqual(
      fold("share_below", 0.5),
    );
  });
});

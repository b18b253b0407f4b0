import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  aggregate,
  readAggregate,
  type Aggregate,
  type AggregatedScores,
} from "../../../../lib/domain/metrics/aggregate.ts";
import type { Json } from "../../../../lib/domain/json.ts";

const scores = new Map([
  ["t1", 1],
  ["t2", null],
  ["t3", 0.25],
  ["t4", 0.5],
]);
const completeScores = (scores: AggregatedScores["scores"]): AggregatedScores => ({
  scores,
  inSession: scores.size,
  partlyRead: 0,
});
const aggregateOf = (by: Aggregate["by"], below: number | null = null): Aggregate => ({ over: "tone", by, below });
const shareAtLeast: Aggregate = { ...aggregateOf("share_at_least"), at_least: 0.5 };

describe("an aggregate metric", () => {
  test.each<[Aggregate, number, string]>([
    [aggregateOf("min"), 0.25, "3 of 4 traces have a score of tone; the lowest is 0.25, of trace t3."],
    [aggregateOf("mean"), 1.75 / 3, "3 of 4 traces have a score of tone; the score is their mean."],
    [aggregateOf("share_below", 0.5), 2 / 3, "3 of 4 traces have a score of tone; 1 of them is below 0.5."],
    [shareAtLeast, 2 / 3, "3 of 4 traces have a score of tone; 1 of them is below 0.5."],
    [aggregateOf("share_below", 0), 1, "3 of 4 traces have a score of tone; 0 of them are below 0."],
  ])("computes by %j one score of the scores that count", (inputs, value, reason) => {
    const result = aggregate(inputs, completeScores(scores));
    expect(result.value).toBeCloseTo(value, 10);
    expect(result).toMatchObject({ reason, details: { traces_in_session: 4, traces_scored: 3 } });
  });

  test("has no score where no trace has one", () => {
    expect(aggregate(aggregateOf("mean"), completeScores(new Map([["t1", null]])))).toMatchObject({
      value: null,
      reason: "None of the session's traces has a usable score of tone.",
    });
    expect(aggregate(aggregateOf("min"), completeScores(new Map()))).toMatchObject({
      value: null,
      reason: "The session has no traces.",
    });
  });

  test("reports the part of a session that is not covered", () => {
    const part = { scores, inSession: 250, partlyRead: 1 };
    expect(aggregate(aggregateOf("min"), part)).toMatchObject({
      reason:
        "3 of the newest 4 of 250 traces have a score of tone; the lowest is 0.25, of trace t3. Of 1 of them only the newest scores were looked at.",
      details: { traces_in_session: 250, traces_left_out: 246, traces_partly_read: 1, traces_scored: 3 },
    });
    expect(aggregate(aggregateOf("min"), { ...part, scores: new Map([["t2", null]]) }).reason).toBe(
      "None of the session's newest 1 of 250 traces has a usable score of tone. Of 1 of them only the newest scores were looked at.",
    );
  });

  test("lies between the lowest and the highest score, in any order of the scores", () => {
    const values = fc.array(fc.integer({ min: 0, max: 10_000 }), { minLength: 1, maxLength: 30 });
    fc.assert(
      fc.property(values, (tenThousandths) => {
        const inputs = tenThousandths.map((value) => value / 10_000);
        const byTrace = (list: readonly number[]) =>
          completeScores(new Map(list.map((value, place) => [`t${place}`, value])));
        const [min, mean] = [
          aggregate(aggregateOf("min"), byTrace(inputs)).value,
          aggregate(aggregateOf("mean"), byTrace(inputs)).value,
        ];
        expect(min).toBe(Math.min(...inputs));
        expect(mean).toBeGreaterThanOrEqual(Math.min(...inputs));
        expect(mean).toBeLessThanOrEqual(Math.max(...inputs));
        expect(aggregate(aggregateOf("mean"), byTrace(inputs.toReversed())).value).toBe(mean);
        const share = aggregate(aggregateOf("share_below", 0.5), byTrace(inputs)).value ?? 0;
        expect(share * inputs.length).toBeCloseTo(inputs.filter((value) => value >= 0.5).length, 6);
      }),
      { numRuns: 100 },
    );
  });

  test.each<[Json, string, string]>([
    ["min", "", "Input should be a valid dictionary"],
    [{ by: "min" }, "over", "Input should be the name of a trace score with at most 255 characters"],
    [{ over: "tone", by: "median" }, "by", "Input should be one of min, mean, share_at_least, share_below"],
    [{ over: "tone", by: "share_below" }, "below", "Input should be a number from 0 to 1"],
    [{ over: "tone", by: "share_at_least" }, "at_least", "Input should be a number from 0 to 1"],
    [{ over: "tone", by: "share_at_least", at_least: 1.5 }, "at_least", "Input should be a number from 0 to 1"],
    [{ over: "tone", by: "min", below: 0.5 }, "below", "Only share_below has this threshold"],
    [{ over: "tone", by: "min", at_least: 0.5 }, "at_least", "Only share_at_least has this threshold"],
    [{ over: "tone", by: "min", of: 1 }, "of", "Unknown field. Allowed fields: over, by, at_least, below"],
  ])("is refused with the error: %j", (input, path, msg) => {
    const flaws: string[][] = [];
    expect(readAggregate(input, (at, message) => flaws.push([at.join("."), message]))).toBeNull();
    expect(flaws).toEqual([[path, msg]]);
  });

  test("is read in the form of the API", () => {
    expect(readAggregate({ over: "tone", by: "share_below", below: 0.5 }, () => undefined)).toEqual(
      aggregateOf("share_below", 0.5),
    );
    const sent = { over: "tone", by: "share_at_least", at_least: 0.5 };
    const read = readAggregate(sent, () => undefined);
    expect(read).toEqual(shareAtLeast);
    expect(read && aggregate(read, completeScores(scores)).details["fold"]).toEqual(sent);
  });
});

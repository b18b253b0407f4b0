import { expect, test } from "vitest";
import { sharedCostShifts } from "../../../../lib/judge/decision/shared-cost.ts";
import type { Verdict } from "../../../../lib/judge/verdict/verdict.ts";

/** A verdict of a call with its number of questions, and the dollars in its metadata. */
const verdict = (id: string, questions: number, cost_usd: number | null): Verdict => ({
  kind: "scored",
  value: 1,
  reason: "",
  metadata: { cost_usd, shared_call: { id, questions } },
});

test("the cost of a call is divided by the numbers of questions, apart from other calls", () => {
  const verdicts = [verdict("one", 3, 0.04), verdict("one", 1, 0), verdict("one", 0, 0), verdict("two", 2, 0.01)];
  expect(sharedCostShifts(verdicts)).toEqual([-0.01, 0.01, 0, 0]);
});

test("a call of unknown price, and one without questions, is not divided", () => {
  expect(sharedCostShifts([verdict("one", 2, null), verdict("one", 1, null), verdict("two", 0, 0.01)])).toEqual([
    0, 0, 0,
  ]);
});

test("a pair that is deferred has no part of the cost: it is divided among the others of its call", () => {
  const deferred: Verdict = {
    kind: "deferred",
    code: "judge_unavailable",
    reason: "The judge does not answer.",
    retryAfter: null,
    metadata: verdict("one", 4, 0.02).metadata,
  };

  expect(sharedCostShifts([verdict("one", 3, 0.04), deferred, verdict("one", 1, 0)])).toEqual([-0.01, 0, 0.01]);
});

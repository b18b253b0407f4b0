import { expect, test } from "vitest";
import { addCounts, noCounts, type RunCounts, outcomeOf } from "../../../../lib/domain/runs/run.ts";
import { someOrder } from "../../../support/runs/runs.ts";

const counts = (fields: Partial<RunCounts>): RunCounts => ({ ...noCounts, ...fields });

test("one success makes a run completed", () => {
  const outcome = outcomeOf(someOrder({ total: 2 }), counts({ evaluated: 2, scored: 1, failed: 3 }), "It refused.");

  expect(outcome.status).toBe("COMPLETED");
  expect(outcome.errorMessage).toBe("3 of 4 judgements failed, one of them because: It refused.");
});

test("a run without a success fails with a reason", () => {
  const outcome = outcomeOf(someOrder({ total: 1 }), counts({ evaluated: 1, failed: 2 }), "Set the key of openai.");

  expect(outcome).toEqual({
    status: "FAILED",
    errorMessage: "2 of 2 judgements failed, one of them because: Set the key of openai.",
  });
});

test.each([
  [0, "The judgement failed: It refused."],
  [2, "1 of 3 judgements failed: It refused."],
])("one failed judgement beside %j scored ones is named alone", (scored, message) => {
  const outcome = outcomeOf(someOrder({ total: 3 }), counts({ evaluated: 3, scored, failed: 1 }), "It refused.");
  expect(outcome.errorMessage).toBe(message);
});

test("a run without a fault has no reason", () => {
  expect(outcomeOf(someOrder({ total: 1 }), counts({ evaluated: 1, scored: 2 }), null)).toEqual({
    status: "COMPLETED",
    errorMessage: null,
  });
});

test("a run without targets is completed and says that nothing matched", () => {
  const emptyMessage = "No traces match the provided filters.";

  const outcome = outcomeOf(someOrder({ total: 0, emptyMessage }), noCounts, null);

  expect(outcome).toEqual({ status: "COMPLETED", errorMessage: emptyMessage });
});

test.each([
  [1, 1, "TRACE", "The trace was not found."],
  [3, 1, "TRACE", "1 of 3 traces was not found."],
  [3, 2, "SESSION", "2 of 3 sessions were not found."],
] as const)(
  "%i targets of which %i are missing: the reason of a %s run says so",
  (total, missing, targetType, message) => {
    const order = someOrder({ total, targetType });

    const outcome = outcomeOf(
      order,
      counts({ evaluated: total, failed: missing * 2, missing, lost: missing * 2 }),
      null,
    );

    expect(outcome.errorMessage).toBe(message);
  },
);

test("a very long reason is truncated", () => {
  const outcome = outcomeOf(someOrder({ total: 1 }), counts({ evaluated: 1, failed: 2 }), "x".repeat(9_000));

  expect(outcome.errorMessage?.length).toBe(2_000);
});

test("counts add up field by field", () => {
  const exampleCounts = counts({ evaluated: 1, failed: 2, scored: 3, missing: 4, lost: 5 });

  expect(addCounts(exampleCounts, exampleCounts)).toEqual({ evaluated: 2, failed: 4, scored: 6, missing: 8, lost: 10 });
  expect(addCounts(exampleCounts, noCounts)).toEqual(exampleCounts);
});

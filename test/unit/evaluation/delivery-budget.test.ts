import { expect, test } from "vitest";
import { deliveryBudget } from "../../../lib/evaluation/slices/delivery-budget.ts";

/** The budget of a delivery under a ceiling that only this slice uses, US dollars, and the amounts that it requested. */
const budgetUnder = (ceiling: number) => {
  const requests: number[] = [];
  const budget = deliveryBudget({
    grow: async (spent, wanted, min) => {
      requests.push(min);
      const room = ceiling - spent;
      return room < min ? { kind: "short", canFreeUp: false } : { kind: "granted", usd: Math.min(wanted, room) };
    },
    maxJudgements: 100,
    maxConcurrent: 1,
    canStart: () => true,
  });
  /** Makes a judgement of this cost. @returns false if the budget does not suffice. */
  const judge = async (cost: number, tight = cost): Promise<boolean> => {
    const request = { max: 4 * cost, likely: 3 * cost, min: 2 * cost, tight: async () => tight };
    const reservation = await budget.judgeBudget.reserve(request);
    reservation?.spend(cost);
    reservation?.close();
    return reservation !== null;
  };
  return { budget, judge, requests };
};

test("a judgement for which the maximum cost does not suffice starts with its cost by tokenizer", async () => {
  const { judge, requests } = budgetUnder(1);

  expect([await judge(0.6, 0.9), requests]).toEqual([true, [0.6 * 3, 0.6 * 2, 0.9]]);
});

test("after a judgement that does not fit a cheaper one is made, and a dearer one is refused without a request", async () => {
  const { judge, requests, budget } = budgetUnder(1);

  const outcomes = [await judge(0.9), await judge(0.3), await judge(0.2), await judge(0.05)];
  const requestCount = requests.length;
  outcomes.push(await judge(0.5));

  expect(outcomes).toEqual([true, false, false, true, false]);
  expect(requests.length).toBe(requestCount);
  expect([budget.isExhausted(), budget.shortage()]).toEqual([false, { kind: "short", canFreeUp: false }]);
});

test("sixteen refusals end the delivery's budget", async () => {
  const { judge, budget } = budgetUnder(1);
  for (let refusals = 0; refusals < 15; refusals += 1) await judge(2);
  const before = budget.isExhausted();
  await judge(2);

  expect([before, budget.isExhausted(), await judge(0.1)]).toEqual([false, true, false]);
});

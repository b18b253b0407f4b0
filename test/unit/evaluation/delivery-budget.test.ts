import * as fc from "fast-check";
import { expect, test } from "vitest";
import { newPairBits } from "../../../lib/domain/runs/pair-bits.ts";
import { noUsage } from "../../../lib/domain/runs/run.ts";
import { deliveryBudget } from "../../../lib/evaluation/slices/delivery-budget.ts";
import { notedCalls } from "../../../lib/evaluation/slices/noted-calls.ts";
import { sliceBudget } from "../../../lib/evaluation/slices/slice-budget.ts";
import { LostLease } from "../../../lib/store/runs/settlement.ts";

/**
 * The budget of a delivery under a ceiling that only this slice uses, US dollars, and the amounts that it requested.
 *
 * @param failing number of the request that throws an error.
 */
const budgetUnder = (ceiling: number, failing = 0) => {
  const requests: number[] = [];
  const budget = deliveryBudget({
    grow: async (spent, wanted, min) => {
      requests.push(min);
      if (requests.length === failing) throw new Error("There is no answer.");
      const room = ceiling - spent;
      return room < min ? { kind: "short", canFreeUp: false } : { kind: "granted", usd: Math.min(wanted, room) };
    },
    note: async () => undefined,
    committed: () => 0,
    maxJudgements: 100,
    maxConcurrent: 1,
    canStart: () => true,
  });
  /** Makes a judgement of this cost. @returns false if the budget does not suffice. */
  const judge = async (cost: number, tight = cost): Promise<boolean> => {
    const request = { max: 4 * cost, likely: 3 * cost, min: 2 * cost, tight: async () => tight };
    const reservation = await budget.judgeBudget.reserve(request);
    (await reservation?.begin(cost))?.(cost);
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

test("after a request that fails nothing of the former reservation is spent: it may be replaced", async () => {
  const { judge, requests } = budgetUnder(1, 2);
  expect(await judge(0.2)).toBe(true);
  await expect(judge(0.25)).rejects.toThrow("There is no answer.");

  expect([await judge(0.05), requests.length]).toEqual([true, 3]);
});

test("sixteen refusals end the delivery's budget", async () => {
  const { judge, budget } = budgetUnder(1);
  for (let refusals = 0; refusals < 15; refusals += 1) await judge(2);
  const before = budget.isExhausted();
  await judge(2);

  expect([before, budget.isExhausted(), await judge(0.1)]).toEqual([false, true, false]);
});

test("calls that exceed what is noted are noted before they begin, by a write for ten judgements at most", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.tuple(fc.double({ min: 0, max: 1, noNaN: true }), fc.boolean())), async (calls) => {
      const notes: number[] = [];
      const budget = deliveryBudget({
        grow: async (_spent, wanted, _min, { uncommitted }) => ({ kind: "granted", usd: wanted, noted: uncommitted }),
        note: async (usd, noted) => {
          expect(usd).toBeGreaterThan(noted);
          notes.push(usd);
        },
        committed: () => 0,
        maxJudgements: 50,
        maxConcurrent: 20,
        canStart: () => true,
      });
      let mostSpent = 0;
      for (const [cost, isEnded] of calls.slice(0, 20)) {
        const reservation = await budget.judgeBudget.reserve({ max: 2, likely: 2, min: 1 });
        const end = await reservation?.begin(1);
        mostSpent += 1;
        expect(notes.at(-1)).toBeGreaterThanOrEqual(mostSpent);
        if (!isEnded) continue;
        end?.(cost);
        mostSpent -= 1 - cost;
        reservation?.close();
      }

      expect(notes.length).toBeLessThanOrEqual(50 / 10);
    }),
  );
});

test("calls that begin while others are noted share the next write", async () => {
  const notes: number[] = [];
  const written = Promise.withResolvers<void>();
  const { begin } = notedCalls({
    store: async (usd) => {
      notes.push(usd);
      await written.promise;
    },
    committed: () => 0,
    next: (needed) => needed,
  });
  const calls = Array.from({ length: 20 }, () => begin(1));
  const before = [...notes];
  written.resolve();
  await Promise.all(calls);

  expect([before, notes]).toEqual([[1], [1, 20]]);
});

test("a worker that can note no more calls has lost its lease, and begins none", async () => {
  const unused = (): never => expect.unreachable();
  const spending = {
    spend: {
      reserve: async () => ({ kind: "granted", usd: 10, noted: 0 }) as const,
      noteCalls: async () => false,
      takeOver: unused,
      recordCalls: unused,
      settle: unused,
      endReservations: unused,
    },
    priceOf: () => null,
    ceilings: { project: 10, organization: null, deployment: null },
    organizationOf: async () => null,
  };
  const run = { id: "r", projectId: "p", metrics: ["m"], targetType: "TRACE", maxCostUsd: null } as const;
  const slice = { id: "a#0", targets: ["t"], traces: [], bits: newPairBits([null], 1), usage: noUsage };
  const { judgeBudget } = await sliceBudget(
    spending,
    { ...run, judge: undefined, resolvedModel: "scripted/judge" },
    { epoch: 1, waits: 0, slice },
    { maxConcurrent: 1, canStart: () => true, now: () => 0 },
  );
  const reservation = await judgeBudget.reserve({ max: 2, likely: 2, min: 1 });

  await expect(reservation?.begin(1)).rejects.toThrow(LostLease);
});

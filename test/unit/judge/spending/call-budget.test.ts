import * as fc from "fast-check";
import { expect, test } from "vitest";
import { reserveModelCallBudget } from "../../../../lib/judge/spending/call-budget.ts";
import type { JudgeBudget } from "../../../../lib/judge/spending/judge-budget.ts";
import { sizeOfBytes, tokenPerByte } from "../../../../lib/judge/spending/prompt-size.ts";
import { costOf, noTokens, type Price, type Tokens } from "../../../../lib/prices/price.ts";

/** A budget that grants one reservation of an amount, and the sum of what was spent from it. */
const budgetOf = (usd: number) => {
  let spent = 0;
  const budget: JudgeBudget = {
    reserve: async () => ({
      remaining: () => usd - spent,
      extend: () => false,
      begin: async () => (cost) => {
        spent += cost;
      },
      close: () => undefined,
    }),
  };
  return { budget, spent: () => spent };
};

const unreported = { tokens: noTokens };
const priceOf = (input: number, output: number): Price => ({ input, cached: input, written: input, output });

/** Makes calls that report nothing until the budget refuses one. @returns the number of calls that were sent. */
const callsWithin = async (usd: number, price: Price, bytes: number, calls: number) => {
  const { budget, spent } = budgetOf(usd);
  const size = sizeOfBytes(bytes);
  const lengths = { max: 8192, likely: 2048, min: 1024 };
  const callBudget = await reserveModelCallBudget(budget, price, [size], lengths, tokenPerByte);
  callBudget?.next();
  let sent = 0;
  const costOfCall = (tokens: Tokens): number | null => costOf(tokens, price);
  for (let call = 0; call < calls; call += 1)
    await callBudget?.pay({ size: () => size, maxTokens: 8192, minTokens: 1024, costOf: costOfCall }, async () => {
      sent += 1;
      return unreported;
    });
  return { sent, spent: spent() };
};

test("a call is repeated only if its input fits, also where output costs nothing", async () => {
  // A prompt of 9,400 bytes and 600 tokens of framing: $0.01.
  const free = priceOf(1, 0);

  expect(await callsWithin(0.018, free, 9400, 2)).toEqual({ sent: 1, spent: 0.01 });
  expect(await callsWithin(0.02, free, 9400, 3)).toMatchObject({ sent: 2 });
  expect(await callsWithin(0.0099, free, 9400, 2)).toEqual({ sent: 0, spent: 0 });
});

test("calls never cost more than was reserved, at any price, free input or output included", async () => {
  const price = (max: number) => fc.oneof(fc.constant(0), fc.double({ min: 0.001, max, noNaN: true }));
  await fc.assert(
    fc.asyncProperty(
      price(20),
      price(100),
      fc.integer({ min: 0, max: 200_000 }),
      fc.double({ min: 0, max: 2, noNaN: true }),
      async (input, output, bytes, usd) => {
        const { sent, spent } = await callsWithin(usd, priceOf(input, output), bytes, 5);

        // Bounds are compared in billionths of a dollar.
        expect(spent).toBeLessThanOrEqual(usd + 1e-8);
        expect(sent).toBeGreaterThanOrEqual(input === 0 && output === 0 ? 5 : 0);
      },
    ),
  );
});

test("a call that throws counts as its highest cost", async () => {
  const { budget, spent } = budgetOf(1);
  const size = sizeOfBytes(9400);
  const lengths = { max: 1000, likely: 1000, min: 1000 };
  const callBudget = await reserveModelCallBudget(budget, priceOf(1, 1), [size], lengths, tokenPerByte);

  const call = { size: () => size, maxTokens: 1000, minTokens: 1000, costOf: () => 0 };
  const paid = callBudget?.pay(call, () => Promise.reject(new Error("broken")));

  await expect(paid).rejects.toThrow("broken");
  expect(spent()).toBeCloseTo(0.011, 9);
});

test("a call counts as its highest cost once nobody waits for it", async () => {
  const { budget, spent } = budgetOf(1);
  const size = sizeOfBytes(9400);
  const lengths = { max: 1000, likely: 1000, min: 1000 };
  const callBudget = await reserveModelCallBudget(budget, priceOf(1, 1), [size], lengths, tokenPerByte);
  const answer = Promise.withResolvers<{ tokens: Tokens }>();

  const call = { size: () => size, maxTokens: 1000, minTokens: 1000, costOf: () => 0.001 };
  const paid = callBudget?.pay(call, () => answer.promise);
  const bound = callBudget?.abandon();
  answer.resolve({ tokens: { ...noTokens, prompt: 900, completion: 100 } });
  await paid;

  expect([bound, spent()]).toEqual([0.011, 0.011]);
});

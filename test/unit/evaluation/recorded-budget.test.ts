import { expect, test } from "vitest";
import { recordedBudget } from "../../../lib/evaluation/slices/recorded-budget.ts";

/** A budget without a ceiling, and the bounds that it recorded. */
const budgetOf = (maxConcurrent: number, committed = () => 0) => {
  const bounds: number[] = [];
  const record = async (usd: number): Promise<void> => {
    await Promise.resolve();
    bounds.push(usd);
  };
  const budget = recordedBudget({ record, committed, maxConcurrent });
  /** Begins a call. @returns the function that records its cost. */
  const begin = async (max: number): Promise<(usd: number) => void> => {
    const reservation = await budget.reserve({ max, likely: max, min: max });
    return (await reservation?.begin(max)) ?? expect.unreachable();
  };
  return { bounds, begin };
};

test("as many calls as judgements run at a time are recorded once, before the first begins", async () => {
  const { bounds, begin } = budgetOf(4);

  for (let round = 0; round < 3; round += 1) {
    const calls = await Promise.all([2, 1, 2, 2].map(begin));
    for (const end of calls) end(0);
  }

  expect(bounds).toEqual([8]);
});

test("calls that cost more than the recorded ones are recorded before they begin, each time twice as much", async () => {
  const { bounds, begin } = budgetOf(2);

  const recorded: unknown[] = [];
  for (const max of [1, 1, 1, 9, 1]) {
    await begin(max);
    recorded.push([...bounds]);
  }

  expect(recorded).toEqual([[2], [2], [2, 4], [2, 4, 18], [2, 4, 18]]);
});

test("a call does not begin if its record cannot be written, and needs none if it is free", async () => {
  const record = () => Promise.reject(new Error("away"));
  const budget = recordedBudget({ record, committed: () => 0, maxConcurrent: 2 });
  const reservation = await budget.reserve({ max: 1, likely: 1, min: 1 });

  await expect(reservation?.begin(1)).rejects.toThrow("away");
  await expect(reservation?.begin(0)).resolves.toBeTypeOf("function");
});

test("what is spent and not committed counts like calls in progress", async () => {
  let committed = 0;
  const { bounds, begin } = budgetOf(2, () => committed);
  const call = async (): Promise<void> => (await begin(1))(0.9);

  await call();
  await call();
  committed = 1.8;
  await call();
  await call();
  const before = [...bounds];
  await call();

  expect([before, bounds]).toEqual([[2], [2, 4]]);
});

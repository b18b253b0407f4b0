import { expect, test } from "vitest";
import { recordedBudget } from "../../../lib/evaluation/slices/recorded-budget.ts";

const request = (max: number) => ({ max, likely: max, min: max });

test("the calls of as many judgements as run at a time are recorded once, before the first begins", async () => {
  const bounds: number[] = [];
  const budget = recordedBudget({ record: async (usd) => void bounds.push(usd), committed: () => 0, maxConcurrent: 4 });

  for (let round = 0; round < 3; round += 1) {
    const reservations = await Promise.all([2, 1, 2, 2].map((max) => budget.reserve(request(max))));
    for (const reservation of reservations) reservation?.close();
  }

  expect(bounds).toEqual([8]);
});

test("judgements that cost more than the recorded ones are recorded before they begin, each time twice as much", async () => {
  const bounds: number[] = [];
  let isWritten = true;
  const record = async (usd: number): Promise<void> => {
    isWritten = false;
    await Promise.resolve();
    bounds.push(usd);
    isWritten = true;
  };
  const budget = recordedBudget({ record, committed: () => 0, maxConcurrent: 2 });

  const written: boolean[] = [];
  for (const max of [1, 1, 1, 9, 1]) {
    await budget.reserve(request(max));
    written.push(isWritten);
  }

  expect(bounds).toEqual([2, 4, 18]);
  expect(written).toEqual([true, true, true, true, true]);
});

test("a judgement does not begin if its record cannot be written, and needs none if its calls are free", async () => {
  const failing = recordedBudget({
    record: () => Promise.reject(new Error("away")),
    committed: () => 0,
    maxConcurrent: 2,
  });
  const free = recordedBudget({
    record: () => Promise.reject(new Error("away")),
    committed: () => 0,
    maxConcurrent: 2,
  });

  await expect(failing.reserve(request(1))).rejects.toThrow("away");
  await expect(free.reserve(request(0))).resolves.not.toBeNull();
});

test("what is spent and not committed counts like calls in progress", async () => {
  const bounds: number[] = [];
  let committed = 0;
  const record = async (usd: number): Promise<void> => void bounds.push(usd);
  const budget = recordedBudget({ record, committed: () => committed, maxConcurrent: 2 });
  const judge = async (): Promise<void> => {
    const reservation = await budget.reserve(request(1));
    reservation?.spend(0.9);
    reservation?.close();
  };

  await judge();
  await judge();
  committed = 1.8;
  await judge();
  await judge();
  const before = [...bounds];
  await judge();

  expect([before, bounds]).toEqual([[2], [2, 4]]);
});

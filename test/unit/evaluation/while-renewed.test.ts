import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { noUsage } from "../../../lib/domain/runs/judge-usage.ts";
import { lookMilliseconds, whileRenewed } from "../../../lib/evaluation/slices/while-renewed.ts";
import type { StoredSlice } from "../../../lib/store/runs/slice-codec.ts";
import { leaseMilliseconds } from "../../../lib/store/runs/slices.ts";

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

const nobits = new Uint8Array();

const held: StoredSlice = {
  slice: {
    projectId: "p",
    runId: "r",
    id: "0",
    targets: [],
    traces: [],
    bits: { settled: nobits, failed: nobits, missing: nobits, unwanted: nobits },
    example: null,
    usage: noUsage,
    state: "open",
  },
  epoch: 1,
  commits: 0,
  until: 0,
  fruitless: 0,
  awaySince: null,
  held: true,
  waiting: null,
  waits: 0,
  asleep: false,
  borrowed: false,
  sentAt: null,
};

/** What work is told at first, and after a while. */
const told = async (slices: Parameters<typeof whileRenewed>[0], milliseconds: number): Promise<readonly boolean[]> =>
  await whileRenewed(slices, held, async (lost) => {
    const before = lost();
    await vi.advanceTimersByTimeAsync(milliseconds);
    return [before, lost()];
  });

test("work on a slice whose run was deleted learns it within a second", async () => {
  const slices = { renew: async () => true, holds: async () => false };

  expect(await told(slices, lookMilliseconds)).toEqual([false, true]);
  expect(lookMilliseconds).toBeLessThanOrEqual(1_000);
});

test("a lease is renewed in time, also while the looks for it get no answer", async () => {
  let renewed = 0;
  const slices = {
    renew: async () => {
      renewed += 1;
      return true;
    },
    holds: () => new Promise<boolean>(() => undefined),
  };

  expect(await told(slices, leaseMilliseconds)).toEqual([false, false]);
  expect(renewed).toBe(3);
});

test("a database that is away takes no slice from anybody", async () => {
  const fail = () => Promise.reject(new Error("away"));

  expect(await told({ renew: fail, holds: fail }, lookMilliseconds)).toEqual([false, false]);
});

test("nothing is asked once the work has ended", async () => {
  let asked = 0;
  const ask = async () => {
    asked += 1;
    return true;
  };
  await told({ renew: ask, holds: ask }, lookMilliseconds);

  await vi.advanceTimersByTimeAsync(leaseMilliseconds);

  expect(asked).toBe(1);
});

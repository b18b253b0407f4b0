import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { noUsage } from "../../../lib/domain/runs/run.ts";
import {
  leaseCheckMilliseconds,
  projectCheckMilliseconds,
  withLeaseRenewal,
} from "../../../lib/evaluation/slices/lease-renewal.ts";
import type { StoredSlice } from "../../../lib/store/runs/slice-codec.ts";
import { leaseMilliseconds } from "../../../lib/store/runs/slices.ts";

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

const nobits = new Uint8Array();

const leasedSlice: StoredSlice = {
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
  isLeased: true,
  isAbandoned: false,
  waiting: null,
  waits: 0,
  asleep: false,
  borrowed: false,
  sentAt: null,
  counted: 0,
  doubts: new Map(),
};

/** States of the lease as reported to the work, at its start and after some milliseconds. */
const leaseStates = async (
  slices: Omit<Parameters<typeof withLeaseRenewal>[0], "hasProject">,
  milliseconds: number,
  hasProject = async () => true,
): Promise<readonly boolean[]> =>
  await withLeaseRenewal({ ...slices, hasProject }, leasedSlice, async (lost) => {
    const before = lost();
    await vi.advanceTimersByTimeAsync(milliseconds);
    return [before, lost()];
  });

test("work on a slice of a deleted run learns of the deletion within a second", async () => {
  const slices = { renew: async () => true, hasLease: async () => false };

  expect(await leaseStates(slices, leaseCheckMilliseconds)).toEqual([false, true]);
  expect(leaseCheckMilliseconds).toBeLessThanOrEqual(1_000);
});

test("work on a slice of a deleted project learns of the deletion within five seconds", async () => {
  const slices = { renew: async () => true, hasLease: async () => true };

  expect(await leaseStates(slices, projectCheckMilliseconds, async () => false)).toEqual([false, true]);
  expect(projectCheckMilliseconds).toBeLessThanOrEqual(5_000);
});

test("a lease is renewed in time, also while the checks of its run get no answer", async () => {
  let renewed = 0;
  const slices = {
    renew: async () => {
      renewed += 1;
      return true;
    },
    hasLease: () => new Promise<boolean>(() => undefined),
  };

  expect(await leaseStates(slices, leaseMilliseconds)).toEqual([false, false]);
  expect(renewed).toBe(3);
});

test("an unavailable database does not end a lease", async () => {
  const fail = () => Promise.reject(new Error("away"));

  expect(await leaseStates({ renew: fail, hasLease: fail }, leaseCheckMilliseconds)).toEqual([false, false]);
});

test("no request is made once the work has ended", async () => {
  let renewCount = 0;
  const ask = async () => {
    renewCount += 1;
    return true;
  };
  await leaseStates({ renew: ask, hasLease: ask }, leaseCheckMilliseconds);

  await vi.advanceTimersByTimeAsync(leaseMilliseconds);

  expect(renewCount).toBe(1);
});

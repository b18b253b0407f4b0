import { TransactionCanceledException } from "@aws-sdk/client-dynamodb";
import { setTimeout as wait } from "node:timers/promises";
import { expect, test } from "vitest";
import { commitGroup } from "../../../lib/evaluation/slices/commit-group.ts";
import { unscoredPair } from "../../../lib/evaluation/slices/settled-pairs.ts";
import type { Settled } from "../../../lib/store/runs/settled-pairs.ts";

const settledPair = (pair: number): Settled => unscoredPair(pair, null);

/** Index of the pair that was settled; -1 for none. */
const pairOf = (settlement: Settled): number => (settlement.kind === "pair" ? settlement.pair : -1);

const grouping = (maxSize: number, canRetry = () => true) => ({
  sizeOf: ({ length }: readonly Settled[]) => length,
  maxSize,
  maxDelay: 40,
  canRetry,
});

const throttle = new TransactionCanceledException({
  message: "cancelled",
  $metadata: {},
  CancellationReasons: [{ Code: "None" }, { Code: "ThrottlingError" }],
});

test("every pair is committed once, in groups, one group at a time", async () => {
  const groups: number[][] = [];
  let running = 0;
  const group = commitGroup(async (pairs) => {
    running += 1;
    groups.push([...pairs.map(pairOf), running]);
    await wait(5);
    running -= 1;
  }, grouping(3));

  for (let pair = 0; pair < 8; pair += 1) group.add(settledPair(pair));
  await group.drain();

  expect(groups).toEqual([
    [0, 1, 2, 1],
    [3, 4, 5, 1],
    [6, 7, 1],
  ]);
});

test("a pair added after a timer found nothing to commit is still committed", async () => {
  const committed: number[] = [];
  const group = commitGroup(async (pairs) => {
    await wait(20);
    committed.push(...pairs.map(pairOf));
  }, grouping(2));
  group.add(settledPair(0));
  group.add(settledPair(1));
  // Starts a timer while the first commit runs, whose loop then takes the pair before the timer fires.
  group.add(settledPair(2));
  await wait(80);

  group.add(settledPair(3));
  await group.drain();

  expect(committed).toEqual([0, 1, 2, 3]);
});

test("a failed commit stops the group, and drain rejects with its error", async () => {
  const group = commitGroup(() => Promise.reject(new Error("lost")), grouping(1));

  group.add(settledPair(0));

  await expect(group.drain()).rejects.toThrow("lost");
  expect(group.failed).toBe(true);
});

test("a throttled commit is retried in halves, and in whole groups again once there is capacity", async () => {
  const batches: number[][] = [];
  let throttles = 2;
  const group = commitGroup(async (pairs) => {
    batches.push(pairs.map(pairOf));
    throttles -= 1;
    if (throttles >= 0) throw throttle;
  }, grouping(4));

  for (let pair = 0; pair < 8; pair += 1) group.add(settledPair(pair));
  await group.drain();

  expect(batches).toEqual([[0, 1, 2, 3], [0, 1], [0], [1, 2], [3, 4, 5, 6], [7]]);
});

test("a single pair that is throttled is retried while there is time", async () => {
  let [commitCount, failuresLeft] = [0, 5];
  const group = commitGroup(
    async () => {
      commitCount += 1;
      throw throttle;
    },
    grouping(1, () => {
      failuresLeft -= 1;
      return failuresLeft > 0;
    }),
  );

  group.add(settledPair(0));

  await expect(group.drain()).rejects.toBe(throttle);
  expect([commitCount, group.failed]).toEqual([5, true]);
});

test("a commit that is always throttled is attempted sixty times", async () => {
  let commitCount = 0;
  const group = commitGroup(async () => {
    commitCount += 1;
    throw throttle;
  }, grouping(2));

  group.add(settledPair(0));

  await expect(group.drain()).rejects.toBe(throttle);
  expect(commitCount).toBe(60);
});

test("outcomes of one call are committed together, also after a throttled commit and with more than the maximum", async () => {
  const groups: number[][] = [];
  let failures = 2;
  const group = commitGroup((pairs) => {
    failures -= 1;
    if (failures >= 0) return Promise.reject(throttle);
    groups.push(pairs.map(pairOf));
    return Promise.resolve();
  }, grouping(4));

  group.add(settledPair(0));
  group.add(settledPair(1), settledPair(2), settledPair(3));
  group.add(...[4, 5, 6, 7, 8].map(settledPair));
  await group.drain();

  expect(groups).toEqual([[0], [1, 2, 3], [4, 5, 6, 7, 8]]);
});

import { TransactionCanceledException } from "@aws-sdk/client-dynamodb";
import { setTimeout as wait } from "node:timers/promises";
import { expect, test } from "vitest";
import { commitGroup } from "../../../lib/evaluation/slices/commit-group.ts";
import { unscoredPair } from "../../../lib/evaluation/slices/settled-pairs.ts";
import type { Settled } from "../../../lib/store/runs/settled.ts";

const settled = (pair: number): Settled => unscoredPair(pair, null);

/** The pair that was settled; -1 for none. */
const pairOf = (one: Settled): number => (one.kind === "pair" ? one.pair : -1);

const grouping = (size: number, mayRepeat = () => true) => ({ size, patience: 40, mayRepeat });

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

  for (let pair = 0; pair < 8; pair += 1) group.add(settled(pair));
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
  group.add(settled(0));
  group.add(settled(1));
  // Starts a timer while the first commit runs, whose loop then takes the pair before the timer fires.
  group.add(settled(2));
  await wait(80);

  group.add(settled(3));
  await group.drain();

  expect(committed).toEqual([0, 1, 2, 3]);
});

test("a failed commit stops the group, and drain tells why", async () => {
  const group = commitGroup(() => Promise.reject(new Error("lost")), grouping(1));

  group.add(settled(0));

  await expect(group.drain()).rejects.toThrow("lost");
  expect(group.failed).toBe(true);
});

test("what is throttled is committed in halves, and in whole groups again once there is capacity", async () => {
  const tried: number[][] = [];
  let throttles = 2;
  const group = commitGroup(async (pairs) => {
    tried.push(pairs.map(pairOf));
    throttles -= 1;
    if (throttles >= 0) throw throttle;
  }, grouping(4));

  for (let pair = 0; pair < 8; pair += 1) group.add(settled(pair));
  await group.drain();

  expect(tried).toEqual([[0, 1, 2, 3], [0, 1], [0], [1, 2], [3, 4, 5, 6], [7]]);
});

test("one that is throttled alone is made again while there is time", async () => {
  let [made, left] = [0, 5];
  const group = commitGroup(
    async () => {
      made += 1;
      throw throttle;
    },
    grouping(1, () => {
      left -= 1;
      return left > 0;
    }),
  );

  group.add(settled(0));

  await expect(group.drain()).rejects.toBe(throttle);
  expect([made, group.failed]).toEqual([5, true]);
});

test("a commit that is throttled for ever is made sixty times", async () => {
  let made = 0;
  const group = commitGroup(async () => {
    made += 1;
    throw throttle;
  }, grouping(2));

  group.add(settled(0));

  await expect(group.drain()).rejects.toBe(throttle);
  expect(made).toBe(60);
});

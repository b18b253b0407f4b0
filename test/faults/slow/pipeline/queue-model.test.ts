import { expect, test } from "vitest";
import { seeded } from "../../../support/random.ts";
import type { Tally } from "../../../support/faults/seeded-faults.ts";
import { noQueueFaults, queueModel, type QueueFaults } from "../../pipeline/queue-model.ts";

const [minute, day] = [60_000, 86_400_000];
const slice = { project: "project", run: "run", slice: "slice" };

/** A queue with one message, and a clock to advance. */
const queueWithMessage = async (faults: Partial<QueueFaults> = {}) => {
  const tally: Tally = new Map();
  let at = 0;
  const queue = queueModel(
    seeded(1),
    () => at,
    () => ({ ...noQueueFaults, ...faults }),
    tally,
  );
  await queue.send([slice]);
  return {
    queue,
    tally,
    pass: (milliseconds: number): void => {
      at += milliseconds;
    },
  };
};

test("a message has its receive count and its time of sending, and is visible again after its visibility time-out", async () => {
  const { queue, pass } = await queueWithMessage();

  const first = queue.receive();
  pass(200_000 - 1);
  const hidden = queue.receive();
  pass(1);
  const second = queue.receive();

  expect(first).toMatchObject({ slice, receives: 1, sentAt: 0 });
  expect(hidden).toBeNull();
  expect(second).toMatchObject({ receives: 2, sentAt: 0 });
});

test("a message received 1,000 times becomes a dead letter and is not received again", async () => {
  const { queue } = await queueWithMessage();

  for (let receives = 1; receives <= 1_000; receives += 1) {
    const received = queue.receive();
    expect(received?.receives).toBe(receives);
    await queue.delayMessage(received?.handle ?? "", 0);
  }
  const last = queue.receive();

  expect(last).toBeNull();
  expect(queue.dead).toEqual([slice]);
  expect(queue.nextVisible()).toBeNull();
});

test("a message is deleted 14 days after it was sent, however it was hidden meanwhile", async () => {
  const { queue, pass } = await queueWithMessage();

  pass(14 * day - minute);
  const received = queue.receive();
  await queue.delayMessage(received?.handle ?? "", 43_200);
  const before = queue.nextVisible();
  pass(minute);

  expect(before).not.toBeNull();
  expect(queue.nextVisible()).toBeNull();
  expect(queue.expired).toEqual([slice]);
});

test("a copy of a deleted message arrives after five minutes or four days", async () => {
  const { queue, tally } = await queueWithMessage({ lateDuplicate: 1 });
  const visibleInstants = new Set<number | null>();

  for (let draws = 0; draws < 40; draws += 1) {
    queue.delete("1");
    visibleInstants.add(queue.nextVisible());
  }

  expect(visibleInstants).toEqual(new Set([5 * minute, 4 * day]));
  expect(tally.get("lateDuplicate queue")).toBe(40);
});

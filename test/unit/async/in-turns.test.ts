import { setImmediate } from "node:timers/promises";
import { expect, test } from "vitest";
import { inTurns, throwFailures } from "../../../lib/async/in-turns.ts";

/** A clock that advances only when work is done. */
const clock = () => {
  let at = 1_000;
  return { now: () => at, pass: (milliseconds: number) => void (at += milliseconds) };
};

test("an item that fails does not stop the others and is reported", async () => {
  const { now } = clock();
  const visits: number[] = [];

  const turns = await inTurns(
    [1, 2, 3],
    async (item) => {
      if (item === 2) throw new Error("broken");
      visits.push(item);
    },
    { until: 2_000, now },
  );

  expect(visits).toEqual([1, 3]);
  expect(turns).toEqual({ taken: 3, isIncomplete: false, failed: 1, failures: [new Error("broken")] });
  expect(() => throwFailures(turns, "Things that could not be done")).toThrow("Things that could not be done: 1.");
});

test("nothing starts after the deadline, and the remaining items are not even read", async () => {
  const { now, pass } = clock();
  const readItems: number[] = [];
  const due = function* () {
    for (const item of [1, 2, 3, 4, 5]) {
      readItems.push(item);
      yield item;
    }
  };

  const turns = await inTurns(due(), async () => pass(400), { until: 2_000, now });

  expect(turns).toMatchObject({ taken: 3, isIncomplete: true });
  expect(readItems).toEqual([1, 2, 3, 4]);
});

test("the first item has its turn even if the deadline passes before it begins", async () => {
  const { now } = clock();
  const visits: number[] = [];

  const turns = await inTurns([1, 2], async (item) => void visits.push(item), { until: 0, now });

  expect([visits, turns.isIncomplete]).toEqual([[1], true]);
});

test("a turn ends with its share of the time, and the last turn ends with the deadline", async () => {
  const { now, pass } = clock();
  const ends: number[] = [];

  await inTurns(
    ["a", "b", "c"],
    async (_, until) => {
      ends.push(until);
      pass(400);
    },
    { until: 2_000, now, turnMilliseconds: 500 },
  );

  expect(ends).toEqual([1_500, 1_900, 2_000]);
});

test("an item is touched before its turn, and an item that another worker holds is skipped", async () => {
  const { now } = clock();
  const reports: string[] = [];

  await inTurns(["a", "b"], async (item) => void reports.push(`work ${item}`), {
    until: 2_000,
    now,
    beforeTurn: async (item) => {
      reports.push(`touch ${item}`);
      return item !== "a";
    },
  });

  expect(reports).toEqual(["touch a", "touch b", "work b"]);
});

test("as many items are worked on at a time as there are lanes, each item once", async () => {
  const { now } = clock();
  let [running, maxRunning] = [0, 0];
  const visits: number[] = [];
  const items = Array.from({ length: 20 }, (_, index) => index);

  await inTurns(
    items,
    async (item) => {
      running += 1;
      maxRunning = Math.max(maxRunning, running);
      await setImmediate();
      visits.push(item);
      running -= 1;
    },
    { until: 2_000, now, concurrency: 4 },
  );

  expect(maxRunning).toBe(4);
  expect(visits.toSorted((a, b) => a - b)).toEqual(items);
});

test("of very many failures the first ten are kept and all are counted", async () => {
  const { now } = clock();
  const items = Array.from({ length: 500 }, (_, index) => index);

  const turns = await inTurns(items, (item) => Promise.reject(new Error(String(item))), { until: 2_000, now });

  expect([turns.failed, turns.failures.length]).toEqual([500, 10]);
});

test("an error while reading due items ends the work with that error, after the started items have ended", async () => {
  const { now } = clock();
  const visits: number[] = [];
  const due = async function* () {
    yield 1;
    throw new Error("unreadable");
  };

  await expect(
    inTurns(due(), async (item) => void visits.push(item), { until: 2_000, now, concurrency: 3 }),
  ).rejects.toThrow("unreadable");
  expect(visits).toEqual([1]);
});

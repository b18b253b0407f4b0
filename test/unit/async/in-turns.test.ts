import { setImmediate } from "node:timers/promises";
import { expect, test } from "vitest";
import { inTurns, throwFailures } from "../../../lib/async/in-turns.ts";

/** A clock that only work moves. */
const clock = () => {
  let at = 1_000;
  return { now: () => at, pass: (milliseconds: number) => void (at += milliseconds) };
};

test("one that fails costs the others nothing, and is told of", async () => {
  const { now } = clock();
  const seen: number[] = [];

  const turns = await inTurns(
    [1, 2, 3],
    async (item) => {
      if (item === 2) throw new Error("broken");
      seen.push(item);
    },
    { until: 2_000, now },
  );

  expect(seen).toEqual([1, 3]);
  expect(turns).toEqual({ taken: 3, left: false, failed: 1, failures: [new Error("broken")] });
  expect(() => throwFailures(turns, "Things that could not be done")).toThrow("Things that could not be done: 1.");
});

test("nothing is begun when the time is over, and what is left is not even read", async () => {
  const { now, pass } = clock();
  const read: number[] = [];
  const due = function* () {
    for (const item of [1, 2, 3, 4, 5]) {
      read.push(item);
      yield item;
    }
  };

  const turns = await inTurns(due(), async () => pass(400), { until: 2_000, now });

  expect(turns).toMatchObject({ taken: 3, left: true });
  expect(read).toEqual([1, 2, 3, 4]);
});

test("the first has its turn although the time is over before it begins", async () => {
  const { now } = clock();
  const seen: number[] = [];

  const turns = await inTurns([1, 2], async (item) => void seen.push(item), { until: 0, now });

  expect([seen, turns.left]).toEqual([[1], true]);
});

test("a turn ends with its share of the time, the last one with the time", async () => {
  const { now, pass } = clock();
  const ends: number[] = [];

  await inTurns(
    ["a", "b", "c"],
    async (_, until) => {
      ends.push(until);
      pass(400);
    },
    { until: 2_000, now, turn: 500 },
  );

  expect(ends).toEqual([1_500, 1_900, 2_000]);
});

test("an item is touched before its turn, and one that another worker has is not worked on", async () => {
  const { now } = clock();
  const told: string[] = [];

  await inTurns(["a", "b"], async (item) => void told.push(`work ${item}`), {
    until: 2_000,
    now,
    touch: async (item) => {
      told.push(`touch ${item}`);
      return item !== "a";
    },
  });

  expect(told).toEqual(["touch a", "touch b", "work b"]);
});

test("as many are worked on at a time as there are lanes, each item once", async () => {
  const { now } = clock();
  let [running, most] = [0, 0];
  const seen: number[] = [];
  const items = Array.from({ length: 20 }, (_, index) => index);

  await inTurns(
    items,
    async (item) => {
      running += 1;
      most = Math.max(most, running);
      await setImmediate();
      seen.push(item);
      running -= 1;
    },
    { until: 2_000, now, width: 4 },
  );

  expect(most).toBe(4);
  expect(seen.toSorted((a, b) => a - b)).toEqual(items);
});

test("of very many failures the first ten are kept, and all are counted", async () => {
  const { now } = clock();
  const items = Array.from({ length: 500 }, (_, index) => index);

  const turns = await inTurns(items, (item) => Promise.reject(new Error(String(item))), { until: 2_000, now });

  expect([turns.failed, turns.failures.length]).toEqual([500, 10]);
});

test("what is due that cannot be read ends the work with its error, after what was begun has ended", async () => {
  const { now } = clock();
  const seen: number[] = [];
  const due = async function* () {
    yield 1;
    throw new Error("unreadable");
  };

  await expect(inTurns(due(), async (item) => void seen.push(item), { until: 2_000, now, width: 3 })).rejects.toThrow(
    "unreadable",
  );
  expect(seen).toEqual([1]);
});

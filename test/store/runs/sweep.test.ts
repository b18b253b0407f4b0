import { randomUUID } from "node:crypto";
import { PutCommand } from "@aws-sdk/lib-dynamodb";
import { afterEach, beforeEach, expect, test } from "vitest";
import { sweepLimits, type SweepLimits } from "../../../lib/evaluation/upkeep/sweep-room.ts";
import { noUsage } from "../../../lib/domain/runs/judge-usage.ts";
import { wholeTargets } from "../../../lib/domain/runs/run.ts";
import type { SliceMessage } from "../../../lib/queue/slice-message.ts";
import type { Database } from "../../../lib/store/database.ts";
import { openPartition, runKey } from "../../../lib/store/runs/keys.ts";
import { runCreation } from "../../../lib/store/runs/creation.ts";
import { dueRunStore } from "../../../lib/store/runs/due-runs.ts";
import { runStore } from "../../../lib/store/runs/runs.ts";
import type { StoredSlice } from "../../../lib/store/runs/slice-codec.ts";
import { sliceStore } from "../../../lib/store/runs/slices.ts";
import { startDatabase, type TestDatabase } from "../../support/database/database.ts";
import { watchedDatabase } from "../../support/database/watched-database.ts";
import { someOrder } from "../../support/runs/runs.ts";
import { settling, storedRun, type StoredFixture } from "./run-fixture.ts";
import { sweepOf } from "../monitors/sweep-fixture.ts";

let database: TestDatabase;
// One database a test: a sweep sees all open runs.
beforeEach(async () => {
  database = await startDatabase();
});
afterEach(() => database.close());

/** So many that each trace is a slice of its own. */
const metrics = Array.from({ length: 50 }, (_, index) => `metric ${index}`);

const created = Date.parse("2026-10-01T10:00:00Z");

const minute = 60_000;

const sweepAt = async (
  milliseconds: number,
  through: Database = database,
  limits: Partial<SweepLimits> = {},
  queueIsEmpty = false,
) => {
  const sent: SliceMessage[] = [];
  const queue = {
    send: async (slices: readonly SliceMessage[]) => void sent.push(...slices),
    showAgain: async () => undefined,
  };
  const done = await sweepOf(through, () => created + milliseconds, queue, { ...sweepLimits, ...limits }, queueIsEmpty);
  return { done, slices: sent.map(({ slice }) => slice) };
};

/** Gives a claimed slice back until some milliseconds after the run's creation, with or without its message. */
const giveBack = (held: StoredSlice, until: number, asleep: boolean): Promise<void> =>
  sliceStore(database).giveBack(held, {
    until: created + until,
    fruitless: 0,
    awaySince: null,
    waiting: null,
    waits: 0,
    asleep,
    usage: noUsage,
  });

test("slices nobody has begun are sent again after ten minutes, and then ever more rarely", async () => {
  const run = await storedRun(database, 2, ["a"]);

  expect((await sweepAt(10 * minute - 1)).slices).toEqual([]);
  expect((await sweepAt(10 * minute)).slices).toEqual(run.slices);
  expect((await sweepAt(30 * minute - 1)).slices).toEqual([]);
  expect((await sweepAt(30 * minute)).slices).toEqual(run.slices);
});

test("a slice whose worker died is sent again ten seconds after its lease, once", async () => {
  const run = await storedRun(database, 1, ["a"]);
  await run.claim(0, created + 100_000);

  expect((await sweepAt(139_999)).slices).toEqual([]);
  expect((await sweepAt(140_000)).slices).toEqual(run.slices);
  expect((await sweepAt(200_000)).slices).toEqual([]);
});

test("a slice that has no message is sent at its instant, one that has is given ten minutes more", async () => {
  const [asleep, waiting] = [await storedRun(database, 1, ["a"]), await storedRun(database, 1, ["a"])];
  await giveBack(await asleep.claim(0, created), 20 * minute, true);
  await giveBack(await waiting.claim(0, created), 20 * minute, false);

  expect((await sweepAt(20 * minute - 1)).slices).toEqual([]);
  expect((await sweepAt(20 * minute)).slices).toEqual(asleep.slices);
  expect((await sweepAt(30 * minute - 1)).slices).toEqual([]);
  expect((await sweepAt(30 * minute)).slices).toEqual(expect.arrayContaining([...waiting.slices]));
});

test("of a queue that was lost everything is sent that nobody holds and that need not wait", async () => {
  const lostAt = (milliseconds: number) => sweepAt(milliseconds, database, {}, true);
  const [fresh, held, waiting] = [
    await storedRun(database, 1, ["a"]),
    await storedRun(database, 1, ["a"]),
    await storedRun(database, 1, ["a"]),
  ];
  await held.claim(0, created);
  await giveBack(await waiting.claim(0, created), 20 * minute, true);

  expect((await sweepAt(20_000)).slices).toEqual([]);
  expect((await lostAt(20_000)).slices).toEqual(fresh.slices);
  expect((await lostAt(30_000)).slices.toSorted()).toEqual([...fresh.slices, ...held.slices].toSorted());
});

test("of three sweeps at a time one sends", async () => {
  const run = await storedRun(database, 1, ["a"]);

  const sweeps = await Promise.all([sweepAt(10 * minute), sweepAt(10 * minute), sweepAt(10 * minute)]);

  expect(sweeps.flatMap(({ slices }) => slices)).toEqual(run.slices);
});

test("a slice that could not be sent is sent by the next sweep", async () => {
  const run = await storedRun(database, 1, ["a"]);
  const away = {
    send: async () => {
      throw new Error("SQS is away.");
    },
    showAgain: async () => undefined,
  };

  await expect(sweepOf(database, () => created + 10 * minute, away)).rejects.toThrow(
    "Runs that could not be repaired: 1.",
  );

  expect((await sweepAt(11 * minute)).slices).toEqual(run.slices);
});

test("a sweep reads and sends no more than it may, and what it leaves is first in the next", async () => {
  const runs: StoredFixture[] = [];
  for (let count = 0; count < 5; count += 1) runs.push(await storedRun(database, 2, metrics));
  const all = runs.flatMap(({ slices }) => slices);

  const sweeps = [];
  for (const at of [10, 11, 12]) sweeps.push(await sweepAt(at * minute, database, { reads: 4 }));
  const sends = [];
  for (const at of [40, 41, 42, 43]) sends.push(await sweepAt(at * minute, database, { sends: 3 }));
  const late = await sweepAt(60 * minute, database, { milliseconds: 0 });

  expect(sweeps.map(({ slices }) => slices.length)).toEqual([4, 4, 2]);
  expect(sweeps.map(({ done }) => done.left)).toEqual([3, 1, 0]);
  expect(sweeps.flatMap(({ slices }) => slices).toSorted()).toEqual(all.toSorted());
  expect(sends.map(({ slices }) => slices.length)).toEqual([3, 3, 3, 1]);
  expect(sends.flatMap(({ slices }) => slices).toSorted()).toEqual(all.toSorted());
  expect(late).toMatchObject({ slices: [], done: { left: 4 } });
});

test("runs that have to be looked at all the time take turns where there is no room for all", async () => {
  const ids = new Set<string>();
  for (let count = 0; count < 9; count += 1) {
    const run = await storedRun(database, 1, ["a"]);
    await run.claim(0, created);
    ids.add(run.order.id);
  }
  const looks: string[] = [];

  for (let turn = 0; turn < 12; turn += 1) {
    const watched = watchedDatabase(database);
    await sweepAt(11_000 + turn * 1_000, watched, { reads: 3 });
    const partitions = watched.calls.flatMap(({ operation, input }) => {
      const values: unknown = operation === "Query" ? input["ExpressionAttributeValues"] : undefined;
      return typeof values === "object" && values !== null && ":pk" in values ? [JSON.stringify(values)] : [];
    });
    looks.push(...[...ids].filter((id) => partitions.some((each) => each.includes(id))));
  }

  expect(looks.length).toBe(12 * 3);
  expect(new Set(looks)).toEqual(ids);
});

test("runs that wait cost a sweep nothing but their keys, and one that has ended is forgotten", async () => {
  const runs = await Promise.all(Array.from({ length: 5 }, () => storedRun(database, 1, ["a"])));
  for (const run of runs) await giveBack(await run.claim(0, created), 60 * minute, true);
  const due = async (): Promise<readonly string[]> => {
    const found: string[] = [];
    for await (const { run } of dueRunStore(database).list()) found.push(run);
    return found;
  };
  await sweepAt(minute);
  const noted = await due();
  const watched = watchedDatabase(database);

  const { done } = await sweepAt(2 * minute, watched);
  await sweepAt(60 * minute);
  for (const run of runs) {
    const held = await run.claim(0, created + 61 * minute);
    await settling(database).commit(held, 1, await run.allJudged(held));
  }
  await sweepAt(120 * minute);

  expect(noted.toSorted()).toEqual(runs.map(({ order }) => order.id).toSorted());
  expect(done).toMatchObject({ open: 5, sent: 0 });
  expect(watched.calls.map(({ operation }) => operation)).toEqual(["Query", "Query", "Query"]);
  expect(await due()).toEqual([]);
});

test("slices that are done, and runs that have ended, are left alone", async () => {
  const run = await storedRun(database, 1, ["a"]);
  const held = await run.claim(0, created);
  await settling(database).commit(held, 1, await run.allJudged(held));

  expect(await sweepAt(10_000_000)).toEqual({
    done: { open: 0, left: 0, removed: 0, ended: 0, sent: 0, buried: 0 },
    slices: [],
  });
});

test("a run with nothing to do is ended", async () => {
  const order = someOrder({ total: 0 });
  await runCreation(database)(order, wholeTargets([]));

  expect((await sweepAt(0)).done).toEqual({ open: 1, left: 0, removed: 0, ended: 1, sent: 0, buried: 0 });

  expect(await runStore(database).get(order.projectId, order.id)).toMatchObject({ status: "COMPLETED" });
});

test("a run that cannot be read does not keep the others from being repaired, and is told of", async () => {
  await database.client.send(
    new PutCommand({
      TableName: "runs",
      Item: { ...runKey(randomUUID(), randomUUID()), d: "?", open_key: openPartition, order_key: "2026-01-01" },
    }),
  );
  const order = someOrder({ total: 0 });
  await runCreation(database)(order, wholeTargets([]));

  await expect(sweepAt(0)).rejects.toThrow("Runs that could not be repaired: 1.");

  expect(await runStore(database).get(order.projectId, order.id)).toMatchObject({ status: "COMPLETED" });
});

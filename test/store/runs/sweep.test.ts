import { randomUUID } from "node:crypto";
import { PutCommand } from "@aws-sdk/lib-dynamodb";
import { afterEach, beforeEach, expect, test } from "vitest";
import { sweepLimits, type SweepLimits } from "../../../lib/evaluation/maintenance/sweep-limits.ts";
import { noUsage, wholeTargets } from "../../../lib/domain/runs/run.ts";
import type { SliceMessage } from "../../../lib/queue/slice-message.ts";
import type { Database } from "../../../lib/dynamo/database.ts";
import { openPartition, runKey } from "../../../lib/store/runs/keys.ts";
import { runCreation } from "../../../lib/store/runs/creation.ts";
import { dueRunStore } from "../../../lib/store/runs/due-runs.ts";
import { fairTurnStore } from "../../../lib/store/runs/fair-turns.ts";
import { runStore } from "../../../lib/store/runs/runs.ts";
import type { StoredSlice } from "../../../lib/store/runs/slice-codec.ts";
import { sliceStore } from "../../../lib/store/runs/slices.ts";
import { startDatabase, type TestDatabase } from "../../support/database/database.ts";
import { watchedDatabase } from "../../support/database/watched-database.ts";
import { someOrder } from "../../support/runs/runs.ts";
import { settling, storedRun, type StoredFixture } from "./run-fixture.ts";
import { sweepOf } from "../monitors/sweep-fixture.ts";

let database: TestDatabase;
// One database per test: a sweep processes all open runs.
beforeEach(async () => {
  database = await startDatabase();
});
afterEach(() => database.close());

/** Metrics of a run, so many that each trace is a slice of its own. */
const metrics = Array.from({ length: 50 }, (_, index) => `metric ${index}`);

const created = Date.parse("2026-10-01T10:00:00Z");

const minute = 60_000;

const sweepAt = async (
  milliseconds: number,
  through: Database = database,
  limits: Partial<SweepLimits> = {},
  queueIsEmpty = false,
) => {
  const messages: SliceMessage[] = [];
  const queue = {
    send: async (slices: readonly SliceMessage[]) => void messages.push(...slices),
    delayMessage: async () => undefined,
  };
  const report = await sweepOf(
    through,
    () => created + milliseconds,
    queue,
    { ...sweepLimits, ...limits },
    queueIsEmpty,
  );
  return { report, slices: messages.map(({ slice }) => slice) };
};

/** Releases a claimed slice until some milliseconds after the run's creation, with or without its message (asleep). */
const releaseSlice = (storedSlice: StoredSlice, until: number, asleep: boolean): Promise<void> =>
  sliceStore(database).release(storedSlice, {
    until: created + until,
    fruitless: 0,
    awaySince: null,
    waiting: null,
    waits: 0,
    asleep,
    usage: noUsage,
    run: { counted: 0, origin: {} },
  });

test("unclaimed slices are sent again after ten minutes, then at growing intervals", async () => {
  const run = await storedRun(database, 2, ["a"]);

  expect((await sweepAt(10 * minute - 1)).slices).toEqual([]);
  expect((await sweepAt(10 * minute)).slices).toEqual(run.slices);
  expect((await sweepAt(30 * minute - 1)).slices).toEqual([]);
  expect((await sweepAt(30 * minute)).slices).toEqual(run.slices);
});

test("a slice whose worker died is sent again once, ten seconds after its lease", async () => {
  const run = await storedRun(database, 1, ["a"]);
  await run.claim(0, created + 100_000);

  expect((await sweepAt(139_999)).slices).toEqual([]);
  expect((await sweepAt(140_000)).slices).toEqual(run.slices);
  expect((await sweepAt(200_000)).slices).toEqual([]);
});

test("a slice without a message is sent at its instant, a slice with a message ten minutes later", async () => {
  const [asleepRun, waitingRun] = [await storedRun(database, 1, ["a"]), await storedRun(database, 1, ["a"])];
  await releaseSlice(await asleepRun.claim(0, created), 20 * minute, true);
  await releaseSlice(await waitingRun.claim(0, created), 20 * minute, false);

  expect((await sweepAt(20 * minute - 1)).slices).toEqual([]);
  expect((await sweepAt(20 * minute)).slices).toEqual(asleepRun.slices);
  expect((await sweepAt(30 * minute - 1)).slices).toEqual([]);
  expect((await sweepAt(30 * minute)).slices).toEqual(expect.arrayContaining([...waitingRun.slices]));
});

test("after the loss of the queue, all slices are sent again that are neither leased nor waiting", async () => {
  const lostAt = (milliseconds: number) => sweepAt(milliseconds, database, {}, true);
  const [unclaimedRun, leasedRun, waitingRun] = [
    await storedRun(database, 1, ["a"]),
    await storedRun(database, 1, ["a"]),
    await storedRun(database, 1, ["a"]),
  ];
  await leasedRun.claim(0, created);
  await releaseSlice(await waitingRun.claim(0, created), 20 * minute, true);

  expect((await sweepAt(20_000)).slices).toEqual([]);
  expect((await lostAt(20_000)).slices).toEqual(unclaimedRun.slices);
  expect((await lostAt(30_000)).slices.toSorted()).toEqual([...unclaimedRun.slices, ...leasedRun.slices].toSorted());
});

test("only one of three concurrent sweeps sends a slice", async () => {
  const run = await storedRun(database, 1, ["a"]);

  const sweeps = await Promise.all([sweepAt(10 * minute), sweepAt(10 * minute), sweepAt(10 * minute)]);

  expect(sweeps.flatMap(({ slices }) => slices)).toEqual(run.slices);
});

test("a slice that could not be sent is sent by the next sweep", async () => {
  const run = await storedRun(database, 1, ["a"]);
  const failingQueue = {
    send: async () => {
      throw new Error("SQS is unavailable.");
    },
    delayMessage: async () => undefined,
  };

  await expect(sweepOf(database, () => created + 10 * minute, failingQueue)).rejects.toThrow(
    "Runs that could not be repaired: 1.",
  );

  expect((await sweepAt(11 * minute)).slices).toEqual(run.slices);
});

test("a sweep respects its limits of reads and sends, and the next sweep continues with the rest", async () => {
  const runs: StoredFixture[] = [];
  for (let count = 0; count < 5; count += 1) runs.push(await storedRun(database, 2, metrics));
  const allSlices = runs.flatMap(({ slices }) => slices);

  const sweeps = [];
  for (const at of [10, 11, 12]) sweeps.push(await sweepAt(at * minute, database, { reads: 4 }));
  const sends = [];
  for (const at of [40, 41, 42, 43]) sends.push(await sweepAt(at * minute, database, { sends: 3 }));
  const lateSweep = await sweepAt(60 * minute, database, { milliseconds: 0 });

  expect(sweeps.map(({ slices }) => slices.length)).toEqual([4, 4, 2]);
  expect(sweeps.map(({ report }) => report.left)).toEqual([3, 1, 0]);
  expect(sweeps.flatMap(({ slices }) => slices).toSorted()).toEqual(allSlices.toSorted());
  expect(sends.map(({ slices }) => slices.length)).toEqual([3, 3, 3, 1]);
  expect(sends.flatMap(({ slices }) => slices).toSorted()).toEqual(allSlices.toSorted());
  expect(lateSweep).toMatchObject({ slices: [], report: { left: 4 } });
});

test("runs that need a read in every sweep take turns when the read limit is exceeded", async () => {
  const ids = new Set<string>();
  for (let count = 0; count < 9; count += 1) {
    const run = await storedRun(database, 1, ["a"]);
    await run.claim(0, created);
    ids.add(run.order.id);
  }
  const readRunIds: string[] = [];

  for (let turn = 0; turn < 12; turn += 1) {
    const watched = watchedDatabase(database);
    await sweepAt(11_000 + turn * 1_000, watched, { reads: 3 });
    const partitions = watched.calls.flatMap(({ operation, input }) => {
      const values: unknown = operation === "Query" ? input["ExpressionAttributeValues"] : undefined;
      return typeof values === "object" && values !== null && ":pk" in values ? [JSON.stringify(values)] : [];
    });
    readRunIds.push(...[...ids].filter((id) => partitions.some((each) => each.includes(id))));
  }

  expect(readRunIds.length).toBe(12 * 3);
  expect(new Set(readRunIds)).toEqual(ids);
});

test("waiting runs cost a sweep only the read of their keys, and ended runs are removed from the due list", async () => {
  const runs = await Promise.all(Array.from({ length: 5 }, () => storedRun(database, 1, ["a"])));
  for (const run of runs) await releaseSlice(await run.claim(0, created), 60 * minute, true);
  const readDueRuns = async (): Promise<readonly string[]> => {
    const dueIds: string[] = [];
    for await (const { run } of dueRunStore(database).list()) dueIds.push(run);
    return dueIds;
  };
  await sweepAt(minute);
  const dueAfterFirstSweep = await readDueRuns();
  const watched = watchedDatabase(database);

  const { report } = await sweepAt(2 * minute, watched);
  await sweepAt(60 * minute);
  for (const run of runs) {
    const storedSlice = await run.claim(0, created + 61 * minute);
    await settling(database).commit(storedSlice, 1, await run.allJudged(storedSlice));
  }
  await sweepAt(120 * minute);

  expect(dueAfterFirstSweep.toSorted()).toEqual(runs.map(({ order }) => order.id).toSorted());
  expect(report).toMatchObject({ open: 5, sent: 0 });
  expect(watched.calls.map(({ operation }) => operation)).toEqual(["Query", "Query", "Query"]);
  expect(await readDueRuns()).toEqual([]);
});

test("settled slices and ended runs are not sent again", async () => {
  const run = await storedRun(database, 1, ["a"]);
  const storedSlice = await run.claim(0, created);
  await settling(database).commit(storedSlice, 1, await run.allJudged(storedSlice));

  expect(await sweepAt(10_000_000)).toEqual({
    report: { open: 0, left: 0, removed: 0, ended: 0, sent: 0, buried: 0 },
    slices: [],
  });
});

test("a run without targets is ended by the sweep", async () => {
  const order = someOrder({ total: 0 });
  await runCreation(database)(order, wholeTargets([]));

  expect((await sweepAt(0)).report).toEqual({ open: 1, left: 0, removed: 0, ended: 1, sent: 0, buried: 0 });

  expect(await runStore(database).get(order.projectId, order.id)).toMatchObject({ status: "COMPLETED" });
});

test("an unreadable run does not block the repair of others, and is reported as an error", async () => {
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

test("a run that no place leads to, as runs of earlier builds, takes turns after a sweep", async () => {
  const run = await storedRun(database, 2, metrics, { createdAt: "2026-10-01T10:00:00+00:00" });
  const turns = fairTurnStore(database);

  await sweepAt(5 * minute);

  const [organization] = await turns.organizations();
  const projects = await turns.projects(organization?.id ?? "");
  expect(projects.map(({ id }) => id)).toEqual([run.order.projectId]);
  expect((await turns.runs(run.order.projectId)).map(({ id }) => id)).toEqual([run.order.id]);
});

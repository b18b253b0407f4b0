import { randomUUID } from "node:crypto";
import { UpdateCommand } from "@aws-sdk/lib-dynamodb";
import { afterAll, beforeAll, expect, test } from "vitest";
import { instantAt } from "../../../lib/domain/instant.ts";
import { noUsage } from "../../../lib/domain/runs/run.ts";
import { withLogContext } from "../../../lib/log-context.ts";
import { runDeletion } from "../../../lib/store/runs/deletion.ts";
import { runKey } from "../../../lib/store/runs/keys.ts";
import { runsCost } from "../../../lib/store/runs/month-cost.ts";
import type { StoredSlice } from "../../../lib/store/runs/slice-codec.ts";
import { sliceStore } from "../../../lib/store/runs/slices.ts";
import { monthSpend } from "../../../lib/store/spend/month-spend.ts";
import { startDatabase, type TestDatabase } from "../../support/database/database.ts";
import { once } from "../../support/database/watched-database.ts";
import { faultyDatabase } from "../../support/faults/faults.ts";
import { settling, storedRun, type StoredFixture } from "./run-fixture.ts";

let database: TestDatabase;
beforeAll(async () => {
  database = await startDatabase();
});
afterAll(() => database.close());

/** Creates a run of two traces by one metric, requested by somebody of an organization. */
const paidRun = async () => {
  const organization = randomUUID();
  const run = await withLogContext({ organization_id: organization }, () => storedRun(database, 2, ["a"]));
  /** US dollars: in the month's totals of project and organization, and those that they lack. */
  const month = async () => {
    const project = run.order.projectId;
    const { settled } = await monthSpend(database, { project: null, organization: null, deployment: null })({
      project,
      organization,
    });
    const { uncounted } = await runsCost(database, run.runs)(project, instantAt(0));
    return [settled.project, settled.organization, uncounted].map((micros) => micros / 1e6);
  };
  return { ...run, month };
};

const withCost = async (run: StoredFixture, storedSlice: StoredSlice, pair: number, cost: number) => ({
  ...(await run.judged(storedSlice, pair, 0.5)),
  usage: { ...noUsage, calls: 1, cost },
});

const readRun = async ({ runs, order }: StoredFixture) => {
  const record = await runs.read(order.projectId, order.id);
  if (record === null) throw new Error("There is no run.");
  return record;
};

test("the last commit of a slice adds its cost to the month of project and organization, once", async () => {
  const run = await paidRun();
  const storedSlice = await run.claim(0);
  const pairs = [await withCost(run, storedSlice, 0, 0.25), await withCost(run, storedSlice, 1, 0.5)];

  const half = await settling(database).commit(storedSlice, 1, pairs.slice(0, 1));
  expect(await run.month()).toEqual([0, 0, 0.25]);
  const conflict = once(({ operation }) => operation === "TransactWriteItems", "conflict");
  await settling(faultyDatabase(database, conflict)).commit(half, 1, pairs.slice(1));
  await expect(settling(database).commit(half, 1, pairs.slice(1))).rejects.toThrow("lease");

  expect(await run.month()).toEqual([0.75, 0.75, 0]);
});

test("a released slice is counted, and later only what came after it", async () => {
  const run = await paidRun();
  const first = await run.claim(0);
  const half = await settling(database).commit(first, 1, [await withCost(run, first, 0, 0.25)]);
  const waiting = { until: 0, fruitless: 0, awaySince: null, waiting: null, waits: 0, asleep: false };
  const released = { ...waiting, usage: { ...half.slice.usage, cost: 0.375 }, run: await readRun(run) };

  await sliceStore(database).release(half, released);
  expect(await run.month()).toEqual([0.375, 0.375, 0]);
  const second = await run.claim(0);
  await sliceStore(database).release(half, { ...released, usage: { ...noUsage, cost: 9 } });
  await settling(database).commit(second, 1, [await withCost(run, second, 1, 0.5)]);

  expect(await run.month()).toEqual([0.875, 0.875, 0]);
});

test("a slice in work is counted when its deleted run is removed, and the cost of deleted runs stays", async () => {
  const [removedRun, endedRun] = [await paidRun(), await paidRun()];
  const [slice, lastSlice] = [await removedRun.claim(0), await endedRun.claim(0)];
  await settling(database).commit(slice, 1, [await withCost(removedRun, slice, 0, 0.25)]);
  await settling(database).commit(lastSlice, 1, [
    await withCost(endedRun, lastSlice, 0, 0.25),
    await withCost(endedRun, lastSlice, 1, 0.5),
  ]);

  for (const run of [removedRun, endedRun]) {
    const deletion = runDeletion(database, run.runs);
    await deletion.remove(await readRun(run), true);
    const record = await deletion.find(run.order.projectId, run.order.id);
    if (record === null) throw new Error("The run is not deleted.");
    await Promise.all([deletion.leaveTombstone(record), deletion.leaveTombstone(record)]);
  }

  expect(await removedRun.month()).toEqual([0.25, 0.25, 0]);
  expect(await endedRun.month()).toEqual([0.75, 0.75, 0]);
});

test("a run that an earlier build created is not counted but summed", async () => {
  const run = await paidRun();
  const { projectId, id } = run.order;
  const storedSlice = await run.claim(0);
  const key = { TableName: database.table("runs"), Key: runKey(projectId, id) };
  await database.client.send(new UpdateCommand({ ...key, UpdateExpression: "REMOVE counted" }));

  await settling(database).commit(storedSlice, 1, [
    await withCost(run, storedSlice, 0, 0.25),
    await withCost(run, storedSlice, 1, 0.5),
  ]);

  expect(await run.month()).toEqual([0, 0, 0.75]);
  expect(await runsCost(database, run.runs)(projectId, instantAt(0))).toMatchObject({ isComplete: false, runs: 1 });
});

import { randomUUID } from "node:crypto";
import { PutCommand } from "@aws-sdk/lib-dynamodb";
import { afterEach, beforeEach, expect, test } from "vitest";
import { wholeTargets } from "../../../lib/domain/runs/run.ts";
import type { SliceMessage } from "../../../lib/queue/slice-message.ts";
import { openPartition, runKey } from "../../../lib/store/runs/keys.ts";
import { runCreation } from "../../../lib/store/runs/creation.ts";
import { runStore } from "../../../lib/store/runs/runs.ts";
import { startDatabase, type TestDatabase } from "../../support/database/database.ts";
import { someOrder } from "../../support/runs/runs.ts";
import { settling, storedRun } from "./run-fixture.ts";
import { sweepOf } from "../monitors/sweep-fixture.ts";

let database: TestDatabase;
// One database a test: a sweep sees all open runs.
beforeEach(async () => {
  database = await startDatabase();
});
afterEach(() => database.close());

const created = Date.parse("2026-10-01T10:00:00Z");

const sweepAt = async (milliseconds: number, idle = true) => {
  const sent: SliceMessage[] = [];
  const queue = {
    send: async (slices: readonly SliceMessage[]) => void sent.push(...slices),
    showAgain: async () => undefined,
    isIdle: async () => idle,
  };
  const done = await sweepOf(database, () => created + milliseconds, queue);
  return { done, slices: sent.map(({ slice }) => slice) };
};

test("slices nobody has begun are sent again after a minute, while no message waits", async () => {
  const run = await storedRun(database, 2, ["a"]);

  expect((await sweepAt(60_000)).slices).toEqual([]);
  expect((await sweepAt(60_001, false)).slices).toEqual([]);
  expect((await sweepAt(60_001)).slices).toEqual(run.slices);
});

test("a slice whose worker died is sent again ten seconds after its lease", async () => {
  const run = await storedRun(database, 1, ["a"]);
  await run.claim(0, created + 100_000);

  expect((await sweepAt(140_000)).slices).toEqual([]);
  expect((await sweepAt(140_001)).slices).toEqual(run.slices);
});

test("slices that are done, and runs that have ended, are left alone", async () => {
  const run = await storedRun(database, 1, ["a"]);
  const held = await run.claim(0, created);
  await settling(database).commit(held, 1, await run.allJudged(held));

  expect(await sweepAt(10_000_000)).toEqual({
    done: { open: 0, removed: 0, ended: 0, sent: 0, buried: 0 },
    slices: [],
  });
});

test("a run with nothing to do is ended", async () => {
  const order = someOrder({ total: 0 });
  await runCreation(database)(order, wholeTargets([]));

  expect((await sweepAt(0)).done).toEqual({ open: 1, removed: 0, ended: 1, sent: 0, buried: 0 });

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

  await expect(sweepAt(0)).rejects.toThrow("1 run could not be repaired");

  expect(await runStore(database).get(order.projectId, order.id)).toMatchObject({ status: "COMPLETED" });
});

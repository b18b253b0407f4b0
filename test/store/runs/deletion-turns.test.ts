import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { instantAt } from "../../../lib/domain/instant.ts";
import { batchWrite } from "../../../lib/dynamo/batches.ts";
import { runDeletion } from "../../../lib/store/runs/deletion.ts";
import { scoreItems } from "../../../lib/store/scores/codec.ts";
import { scoreRemoval } from "../../../lib/store/scores/removal.ts";
import { startDatabase, type TestDatabase } from "../../support/database/database.ts";
import { faultyDatabase } from "../../support/faults/faults.ts";
import { someScore } from "../../support/scores.ts";
import { sweepOf } from "../monitors/sweep-fixture.ts";
import { storedRun, type StoredFixture } from "./run-fixture.ts";

let database: TestDatabase;
beforeAll(async () => {
  database = await startDatabase();
});
afterAll(() => database.close());

const start = Date.parse("2026-10-01T10:00:00Z");
const minute = 60_000;

/** A database connection on which each request takes so many milliseconds of a simulated clock. */
const slowConnection = (milliseconds: number) => {
  const clock = { at: start };
  const through = faultyDatabase(database, ({ operation }) => {
    if (!operation.includes("(")) clock.at += milliseconds;
    return null;
  });
  return { clock, through, now: () => clock.at };
};

/** A run with scores that was created `index` milliseconds after the start and deleted together with its scores. */
const deletedRun = async (scores: number, index: number): Promise<StoredFixture> => {
  const run = await storedRun(database, 1, ["a"], { createdAt: instantAt(start + index) });
  const { projectId: project_id, id } = run.order;
  const items = Array.from({ length: scores }, () =>
    scoreItems(someScore({ project_id, trace_id: randomUUID(), eval_run_id: id }), {
      incarnation: "i",
      expiresAt: null,
    }),
  );
  await batchWrite(
    database,
    "scores",
    items.flat().map((Item) => ({ PutRequest: { Item } })),
  );
  const runRecord = await run.runs.read(project_id, id);
  if (runRecord !== null) await runDeletion(database, run.runs, () => start).remove(runRecord, true);
  return run;
};

test("the removal of a deleted run's scores stops at its deadline, and the next call continues it", async () => {
  const { order } = await deletedRun(120, 0);
  const { clock, through, now } = slowConnection(100);
  const remove = (): Promise<number> =>
    scoreRemoval(through, now).removeScoresOfRun(order.projectId, order.id, clock.at + 300);

  const removedCounts = [await remove(), await remove(), await remove(), await remove()];
  const took = clock.at - start;

  expect(removedCounts[0]).toBeLessThan(120);
  expect(removedCounts.reduce((sum, each) => sum + each, 0)).toBe(120);
  expect(removedCounts.at(-1)).toBe(0);
  expect(took).toBeLessThan(4 * 600);
});

test("deleted runs with many scores are removed in turns: a small one behind them is removed, within the time of a sweep", async () => {
  const large: StoredFixture[] = [];
  for (let index = 0; index < 6; index += 1) large.push(await deletedRun(160, index));
  const small = await deletedRun(1, 100);
  const { clock, through, now } = slowConnection(1_500);
  const isBuried = async ({ order }: StoredFixture): Promise<boolean> => {
    for await (const { run } of runDeletion(database, small.runs).list(null)) if (run === order.id) return false;
    return true;
  };
  vi.spyOn(console, "log").mockImplementation(() => undefined);

  const milliseconds: number[] = [];
  clock.at += minute;
  for (; milliseconds.length < 6 && !(await isBuried(small)); clock.at += minute) {
    const startedAt = clock.at;
    await sweepOf(through, now);
    milliseconds.push(clock.at - startedAt);
  }
  const areLargeBuried = await Promise.all(large.map(isBuried));
  vi.restoreAllMocks();

  expect(await isBuried(small)).toBe(true);
  expect(areLargeBuried).toContain(false);
  // A sweep may take 20 s, and the unfinished work of four runs: seven requests each.
  expect(Math.max(...milliseconds)).toBeLessThan(60_000);
});

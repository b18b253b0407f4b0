import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { instantAt } from "../../../lib/domain/instant.ts";
import { batchWrite } from "../../../lib/store/batch-write.ts";
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

/** A database that takes its time, by a clock that nothing else moves. */
const slowly = (milliseconds: number) => {
  const clock = { at: start };
  const through = faultyDatabase(database, ({ operation }) => {
    if (!operation.includes("(")) clock.at += milliseconds;
    return null;
  });
  return { clock, through, now: () => clock.at };
};

/** A run with scores, deleted with them a moment after the one before it. */
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
  const stored = await run.runs.read(project_id, id);
  if (stored !== null) await runDeletion(database, run.runs, () => start).remove(stored, true);
  return run;
};

test("the scores of a deleted run are removed for as long as there is time, and the next call goes on", async () => {
  const { order } = await deletedRun(120, 0);
  const { clock, through, now } = slowly(100);
  const remove = (): Promise<number> =>
    scoreRemoval(through, now).removeScoresOfRun(order.projectId, order.id, clock.at + 300);

  const found = [await remove(), await remove(), await remove(), await remove()];
  const took = clock.at - start;

  expect(found[0]).toBeLessThan(120);
  expect(found.reduce((sum, each) => sum + each, 0)).toBe(120);
  expect(found.at(-1)).toBe(0);
  expect(took).toBeLessThan(4 * 600);
});

test("deleted runs with many scores have turns: a small one behind them is buried, and no sweep takes longer than it may", async () => {
  const large: StoredFixture[] = [];
  for (let index = 0; index < 6; index += 1) large.push(await deletedRun(160, index));
  const small = await deletedRun(1, 100);
  const { clock, through, now } = slowly(1_500);
  const isBuried = async ({ order }: StoredFixture): Promise<boolean> => {
    for await (const { run } of runDeletion(database, small.runs).list(null)) if (run === order.id) return false;
    return true;
  };
  vi.spyOn(console, "log").mockImplementation(() => undefined);

  const took: number[] = [];
  clock.at += minute;
  for (; took.length < 6 && !(await isBuried(small)); clock.at += minute) {
    const begun = clock.at;
    await sweepOf(through, now);
    took.push(clock.at - begun);
  }
  const left = await Promise.all(large.map(isBuried));
  vi.restoreAllMocks();

  expect(await isBuried(small)).toBe(true);
  expect(left).toContain(false);
  // 20 s, and what four runs are in the middle of then: seven requests of each.
  expect(Math.max(...took)).toBeLessThan(60_000);
});

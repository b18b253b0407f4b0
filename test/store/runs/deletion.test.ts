import { afterAll, beforeAll, expect, test } from "vitest";
import { runPurge } from "../../../lib/evaluation/upkeep/purge-run.ts";
import { runCreation } from "../../../lib/store/runs/creation.ts";
import { runDeletion } from "../../../lib/store/runs/deletion.ts";
import { runList } from "../../../lib/store/runs/list.ts";
import { runStore } from "../../../lib/store/runs/runs.ts";
import { traceScores } from "../../../lib/store/scores/kind.ts";
import { scoreReader } from "../../../lib/store/scores/reader.ts";
import { scoreRemoval } from "../../../lib/store/scores/removal.ts";
import { LostLease } from "../../../lib/store/runs/settlement.ts";
import { spendStore } from "../../../lib/store/spend/spend.ts";
import { wholeTargets } from "../../../lib/domain/runs/run.ts";
import { startDatabase, type TestDatabase } from "../../support/database/database.ts";
import { faultyDatabase } from "../../support/faults/faults.ts";
import type { FaultKind } from "../../support/faults/fault-kind.ts";
import { settling, storedRun, type StoredFixture } from "./run-fixture.ts";

let database: TestDatabase;
beforeAll(async () => {
  database = await startDatabase();
});
afterAll(() => database.close());

const minute = 60_000;

const purgeAt = (through: TestDatabase | ReturnType<typeof faultyDatabase>, at: number) => {
  const now = (): number => at;
  const deletion = runDeletion(through, runStore(through), now);
  const purge = runPurge({ deletion, scores: scoreRemoval(through), spend: spendStore(through, now), now });
  return async (run: StoredFixture): Promise<boolean | null> => {
    const stored = await deletion.find(run.order.projectId, run.order.id);
    return stored === null ? null : await purge(stored, Number.POSITIVE_INFINITY);
  };
};

const remove = async (run: StoredFixture, scores: boolean, through = runDeletion(database, run.runs)) => {
  const stored = await run.runs.read(run.order.projectId, run.order.id);
  return stored !== null && (await through.remove(stored, scores));
};

const scoreCount = async (project: string, id: string): Promise<number> =>
  (await scoreReader(database, traceScores).read(project, [id])).length;

const slicesLeft = async (run: StoredFixture): Promise<number> => {
  const attempt = run.slices[0]?.split("#")[0] ?? "";
  return (await run.runs.slices(run.order.projectId, run.order.id, attempt)).length;
};

test("a deleted run is gone for every reader, once", async () => {
  const run = await storedRun(database, 2, ["a"]);

  expect(await remove(run, false)).toBe(true);

  expect(await remove(run, false)).toBe(false);
  expect(await run.runs.get(run.order.projectId, run.order.id)).toBeNull();
  expect((await runList(database).page(run.order.projectId, "TRACE", null, 10, 0)).total).toBe(0);
});

test("nobody who held a slice can commit once its run is deleted", async () => {
  const run = await storedRun(database, 2, ["a", "b"]);
  const held = await run.claim(0);
  const pairs = await run.allJudged(held);
  const half = await settling(database).commit(held, 2, pairs.slice(0, 2));
  await remove(run, false);

  await expect(settling(database).commit(half, 2, pairs.slice(2, 3))).rejects.toBeInstanceOf(LostLease);
  await expect(settling(database).commit(half, 2, pairs.slice(2))).rejects.toBeInstanceOf(LostLease);
  await expect(run.claim(0, Date.now() + 10 * minute)).rejects.toThrow("over");
});

test("of two requests that delete a run at once one is told that it did", async () => {
  const run = await storedRun(database, 1, ["a"]);
  const stored = await run.runs.read(run.order.projectId, run.order.id);
  if (stored === null) throw new Error("There is no run.");

  const told = await Promise.all([1, 2, 3].map(() => runDeletion(database, run.runs).remove(stored, false)));

  expect(told.toSorted()).toEqual([false, false, true]);
});

test("its slices are removed a minute later, its scores stay or go as it was told", async () => {
  for (const scores of [false, true]) {
    const run = await storedRun(database, 2, ["a"]);
    const held = await run.claim(0);
    await settling(database).commit(held, 1, await run.allJudged(held));
    const kept = (await run.scores()).map(({ id }) => id);
    await remove(run, scores);
    const read = () =>
      Promise.all(kept.map((id) => scoreCount(run.order.projectId, id))).then((counts) => counts.join(""));

    expect(await purgeAt(database, Date.now())(run)).toBe(false);
    expect(await read()).toBe(scores ? "00" : "11");
    expect(await slicesLeft(run)).toBe(1);
    expect(await purgeAt(database, Date.now() + 2 * minute)(run)).toBe(true);
    expect(await slicesLeft(run)).toBe(0);
  }
});

/** A process that dies at its nth request. */
const dyingAt = (nth: number, kind: FaultKind) => {
  let requests = 0;
  return faultyDatabase(database, ({ operation }) => {
    if (operation.includes("(")) return null;
    requests += 1;
    return requests === nth ? kind : null;
  });
};

test.each<FaultKind>(["crash-before", "crash-after"])(
  "a deletion broken off by %s anywhere is undone by nothing, and finished by the sweeper",
  async (kind) => {
    for (let nth = 1; nth <= 4; nth += 1) {
      const run = await storedRun(database, 60, ["a"]);
      const held = await run.claim(0);
      const own = dyingAt(nth, kind);
      await remove(run, true, runDeletion(own, runStore(own))).catch(() => null);
      const gone = (await run.runs.read(run.order.projectId, run.order.id)) === null;
      await purgeAt(dyingAt(nth, kind), Date.now())(run).catch(() => null);
      const dead = await purgeAt(database, Date.now() + minute)(run);

      expect(dead).toBe(gone ? true : null);
      expect(await slicesLeft(run)).toBe(gone ? 0 : 2);
      const late = settling(database).commit(held, 1, (await run.allJudged(held)).slice(0, 1));
      const outcome = await late.then(
        () => "committed",
        (error: unknown) => error,
      );

      expect(outcome).toEqual(gone ? new LostLease() : "committed");
    }
  },
);

test("a tombstone keeps a repeated creation from making the run again, until it expires", async () => {
  const run = await storedRun(database, 1, ["a"]);
  await remove(run, false);
  await purgeAt(database, Date.now() + minute)(run);
  const again = (at: number) => runCreation(database, () => at)(run.order, wholeTargets(run.targets));

  const answer = await again(Date.now());
  const during = await run.runs.get(run.order.projectId, run.order.id);
  await again(Date.now() + 8 * 24 * 60 * minute);

  expect(answer).toMatchObject({ status: "PENDING", evaluated: 0 });
  expect(during).toBeNull();
  expect(await run.runs.get(run.order.projectId, run.order.id)).toMatchObject({ status: "PENDING" });
});

import { afterAll, beforeAll, expect, test } from "vitest";
import { purgeRunsPromptly, runPurge } from "../../../lib/evaluation/maintenance/purge-run.ts";
import { runCreation } from "../../../lib/store/runs/creation.ts";
import { runDeletion } from "../../../lib/store/runs/deletion.ts";
import { eraseRuns } from "../../../lib/store/runs/erase.ts";
import { runList } from "../../../lib/store/runs/list.ts";
import { runStore } from "../../../lib/store/runs/runs.ts";
import { traceScoreKind } from "../../../lib/store/scores/kind.ts";
import { scoreReader } from "../../../lib/store/scores/reader.ts";
import { scoreRemoval } from "../../../lib/store/scores/removal.ts";
import { LostLease } from "../../../lib/store/runs/settlement.ts";
import { wholeTargets } from "../../../lib/domain/runs/run.ts";
import { cannotEraseYet } from "../../../lib/dynamo/erase-items.ts";
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
  const purge = runPurge({ deletion, scores: scoreRemoval(through), now });
  return async (run: StoredFixture): Promise<boolean | null> => {
    const runRecord = await deletion.find(run.order.projectId, run.order.id);
    return runRecord === null ? null : await purge(runRecord, Number.POSITIVE_INFINITY);
  };
};

const remove = async (run: StoredFixture, scores: boolean, through = runDeletion(database, run.runs)) => {
  const runRecord = await run.runs.read(run.order.projectId, run.order.id);
  return runRecord !== null && (await through.remove(runRecord, scores));
};

const scoreCount = async (project: string, id: string): Promise<number> =>
  (await scoreReader(database, traceScoreKind).read(project, [id])).length;

const countSlices = async (run: StoredFixture): Promise<number> => {
  const attempt = run.slices[0]?.split("#")[0] ?? "";
  return (await run.runs.slices(run.order.projectId, run.order.id, attempt)).length;
};

test("a deleted run is invisible to every reader, and cannot be deleted twice", async () => {
  const run = await storedRun(database, 2, ["a"]);

  expect(await remove(run, false)).toBe(true);

  expect(await remove(run, false)).toBe(false);
  expect(await run.runs.get(run.order.projectId, run.order.id)).toBeNull();
  expect((await runList(database).page(run.order.projectId, "TRACE", {}, 10, 0)).total).toBe(0);
});

test("a worker that held a slice cannot commit after its run is deleted", async () => {
  const run = await storedRun(database, 2, ["a", "b"]);
  const storedSlice = await run.claim(0);
  const pairs = await run.allJudged(storedSlice);
  const half = await settling(database).commit(storedSlice, 2, pairs.slice(0, 2));
  await remove(run, false);

  await expect(settling(database).commit(half, 2, pairs.slice(2, 3))).rejects.toBeInstanceOf(LostLease);
  await expect(settling(database).commit(half, 2, pairs.slice(2))).rejects.toBeInstanceOf(LostLease);
  await expect(run.claim(0, Date.now() + 10 * minute)).rejects.toThrow("over");
});

test("exactly one of several concurrent deletions of a run succeeds", async () => {
  const run = await storedRun(database, 1, ["a"]);
  const runRecord = await run.runs.read(run.order.projectId, run.order.id);
  if (runRecord === null) throw new Error("There is no run.");

  const results = await Promise.all([1, 2, 3].map(() => runDeletion(database, run.runs).remove(runRecord, false)));

  expect(results.toSorted()).toEqual([false, false, true]);
});

test("the slices of a deleted run are removed a minute later, its scores are kept or removed as requested", async () => {
  for (const scores of [false, true]) {
    const run = await storedRun(database, 2, ["a"]);
    const storedSlice = await run.claim(0);
    await settling(database).commit(storedSlice, 1, await run.allJudged(storedSlice));
    const scoreIds = (await run.scores()).map(({ id }) => id);
    await remove(run, scores);
    const readScoreCounts = () =>
      Promise.all(scoreIds.map((id) => scoreCount(run.order.projectId, id))).then((counts) => counts.join(""));

    expect(await purgeAt(database, Date.now())(run)).toBe(false);
    expect(await readScoreCounts()).toBe(scores ? "00" : "11");
    expect(await countSlices(run)).toBe(1);
    expect(await purgeAt(database, Date.now() + 2 * minute)(run)).toBe(true);
    expect(await countSlices(run)).toBe(0);
  }
});

test("prompt purges remove scores of deleted runs, pass over a run that fails, and leave the rest to the sweeper when their time is up", async () => {
  const runs: { readonly project: string; readonly run: string; readonly score: string }[] = [];
  for (let count = 0; count < 3; count += 1) {
    const run = await storedRun(database, 1, ["a"]);
    const storedSlice = await run.claim(0);
    await settling(database).commit(storedSlice, 1, await run.allJudged(storedSlice));
    const [score] = await run.scores();
    await remove(run, true);
    runs.push({ project: run.order.projectId, run: run.order.id, score: score?.id ?? "" });
  }
  const clock = { now: Date.now() };
  const deletion = runDeletion(database, runStore(database));
  const stored = runPurge({ deletion, scores: scoreRemoval(database), now: () => clock.now });
  const prompt = purgeRunsPromptly(
    deletion,
    async (storedRun, until) => {
      if (storedRun.run.order.id === runs[0]?.run) throw new Error("This run cannot be purged.");
      const isPurged = await stored(storedRun, until);
      clock.now += 6_000;
      return isPurged;
    },
    () => clock.now,
  );

  await prompt(runs);

  expect(await Promise.all(runs.map(({ project, score }) => scoreCount(project, score)))).toEqual([1, 0, 1]);
});

/** A worker's connection that dies at its nth request. */
const dyingAt = (nth: number, kind: FaultKind) => {
  let requests = 0;
  return faultyDatabase(database, ({ operation }) => {
    if (operation.includes("(")) return null;
    requests += 1;
    return requests === nth ? kind : null;
  });
};

test.each<FaultKind>(["crash-before", "crash-after"])(
  "a deletion that is interrupted by %s at any request is never undone, and is completed by the sweeper",
  async (kind) => {
    for (let nth = 1; nth <= 4; nth += 1) {
      const run = await storedRun(database, 60, ["a"]);
      const storedSlice = await run.claim(0);
      const dyingDb = dyingAt(nth, kind);
      await remove(run, true, runDeletion(dyingDb, runStore(dyingDb))).catch(() => null);
      const isDeleted = (await run.runs.read(run.order.projectId, run.order.id)) === null;
      await purgeAt(dyingAt(nth, kind), Date.now())(run).catch(() => null);
      const isPurged = await purgeAt(database, Date.now() + minute)(run);

      expect(isPurged).toBe(isDeleted ? true : null);
      expect(await countSlices(run)).toBe(isDeleted ? 0 : 2);
      const lateCommit = settling(database).commit(storedSlice, 1, (await run.allJudged(storedSlice)).slice(0, 1));
      const outcome = await lateCommit.then(
        () => "committed",
        (error: unknown) => error,
      );

      expect(outcome).toEqual(isDeleted ? new LostLease() : "committed");
    }
  },
);

test("a tombstone prevents a repeated creation from recreating the run, until it expires", async () => {
  const run = await storedRun(database, 1, ["a"]);
  await remove(run, false);
  await purgeAt(database, Date.now() + minute)(run);
  const createAgain = (at: number) => runCreation(database, () => at)(run.order, wholeTargets(run.targets));

  const answer = await createAgain(Date.now());
  const during = await run.runs.get(run.order.projectId, run.order.id);
  await createAgain(Date.now() + 8 * 24 * 60 * minute);

  expect(answer).toMatchObject({ status: "PENDING", evaluated: 0 });
  expect(during).toBeNull();
  expect(await run.runs.get(run.order.projectId, run.order.id)).toMatchObject({ status: "PENDING" });
});

test("a deleted project's run stays while a function that worked on it may still report its spending", async () => {
  const run = await storedRun(database, 2, ["a"]);
  await remove(run, false);
  const eraseAt = async (minutes: number): Promise<readonly unknown[]> => {
    const steps: unknown[] = [];
    for await (const step of eraseRuns(database, () => Date.now() + minutes * minute)(run.order.projectId))
      steps.push(step);
    return steps;
  };

  expect(await eraseAt(15)).toContain(cannotEraseYet);
  expect(await countSlices(run)).toBeGreaterThan(0);
  expect(await eraseAt(17)).not.toContain(cannotEraseYet);
  expect(await countSlices(run)).toBe(0);
});

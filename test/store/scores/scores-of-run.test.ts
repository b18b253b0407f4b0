import { afterAll, beforeAll, expect, test } from "vitest";
import { everyScoreOfRun } from "../../../lib/evaluation/read/scores-of-run.ts";
import { runScores } from "../../../lib/store/scores/of-run.ts";
import { traceScoreKind } from "../../../lib/store/scores/kind.ts";
import { startDatabase, type TestDatabase } from "../../support/database/database.ts";
import { deleteTrace } from "../../support/traces/delete-trace.ts";
import { faultyDatabase } from "../../support/faults/faults.ts";
import { settling, storedRun, type StoredFixture } from "../runs/run-fixture.ts";

let database: TestDatabase;
beforeAll(async () => {
  database = await startDatabase();
});
afterAll(() => database.close());

/** Trace ids and names of a run's scores, read while the index is stale. */
const readThroughStaleIndex = async (run: StoredFixture): Promise<readonly string[]> => {
  const lagging = faultyDatabase(database, ({ operation }) => (operation === "Query (index)" ? "stale-index" : null));
  const runRecord = await run.runs.read(run.order.projectId, run.order.id);
  const names: string[] = [];
  if (runRecord === null) return names;
  for await (const score of everyScoreOfRun(runRecord, run.runs, runScores(lagging, traceScoreKind)))
    names.push(`${score.trace_id} ${score.name}`);
  return names.toSorted();
};

const expected = (run: StoredFixture, targets: readonly string[]): readonly string[] =>
  targets.flatMap((target) => run.order.metrics.map((metric) => `${target} ${metric}`)).toSorted();

test("an ended run returns every score once, even if the index is stale", async () => {
  const run = await storedRun(database, 7, ["a", "b", "c"]);
  const storedSlice = await run.claim(0);
  await settling(database).commit(storedSlice, 3, await run.allJudged(storedSlice));

  expect(await readThroughStaleIndex(run)).toEqual(expected(run, run.targets));
});

test("more scores than one batch read can hold are all returned", async () => {
  const run = await storedRun(
    database,
    1,
    Array.from({ length: 250 }, (_, index) => `metric ${index}`),
  );
  let storedSlice = await run.claim(0);
  const pairs = await run.allJudged(storedSlice);
  const { commit } = settling(database);
  for (let start = 0; start < pairs.length; start += 32)
    storedSlice = await commit(storedSlice, 250, pairs.slice(start, start + 32));

  expect(await readThroughStaleIndex(run)).toEqual(expected(run, run.targets));
});

test("a target that was deleted while half judged does not hide the scores of other targets", async () => {
  const run = await storedRun(database, 2, ["a", "b"]);
  const [deletedTarget = "", remainingTarget = ""] = run.targets;
  const storedSlice = await run.claim(0);
  const pairs = await run.allJudged(storedSlice);
  const { commit } = settling(database);
  const halfSettled = await commit(storedSlice, 2, pairs.slice(0, 1));
  await deleteTrace(database, run.order.projectId, deletedTarget);
  await commit(halfSettled, 2, pairs.slice(1));

  expect(await run.runs.get(run.order.projectId, run.order.id)).toMatchObject({ scored: 3, failed: 1, missing: 1 });
  expect(await readThroughStaleIndex(run)).toEqual(
    [`${deletedTarget} a`, ...expected(run, [remainingTarget])].toSorted(),
  );
});

test("a run without any judgement has no scores", async () => {
  const run = await storedRun(database, 2, ["a"]);

  expect(await readThroughStaleIndex(run)).toEqual([]);
});

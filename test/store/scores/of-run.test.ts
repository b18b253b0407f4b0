import { afterAll, beforeAll, expect, test } from "vitest";
import { scoresOfRun } from "../../../lib/evaluation/read/scores-of-run.ts";
import { runScores } from "../../../lib/store/scores/of-run.ts";
import { traceScores } from "../../../lib/store/scores/kind.ts";
import { startDatabase, type TestDatabase } from "../../support/database/database.ts";
import { deleteTrace } from "../../support/traces/delete-trace.ts";
import { faultyDatabase } from "../../support/faults/faults.ts";
import { settling, storedRun, type StoredFixture } from "../runs/run-fixture.ts";

let database: TestDatabase;
beforeAll(async () => {
  database = await startDatabase();
});
afterAll(() => database.close());

/** The names of a run's scores as a reader whose index lags gets them. */
const readLate = async (run: StoredFixture): Promise<readonly string[]> => {
  const lagging = faultyDatabase(database, ({ operation }) => (operation === "Query (index)" ? "stale-index" : null));
  const stored = await run.runs.read(run.order.projectId, run.order.id);
  const names: string[] = [];
  if (stored === null) return names;
  for await (const score of scoresOfRun(stored, run.runs, runScores(lagging, traceScores)))
    names.push(`${score.trace_id} ${score.name}`);
  return names.toSorted();
};

const expected = (run: StoredFixture, targets: readonly string[]): readonly string[] =>
  targets.flatMap((target) => run.order.metrics.map((metric) => `${target} ${metric}`)).toSorted();

test("a run that has ended gives every score once, whatever its index lacks", async () => {
  const run = await storedRun(database, 7, ["a", "b", "c"]);
  const held = await run.claim(0);
  await settling(database).commit(held, 3, await run.allJudged(held));

  expect(await readLate(run)).toEqual(expected(run, run.targets));
});

test("more scores than one batch of reads are all given", async () => {
  const run = await storedRun(
    database,
    1,
    Array.from({ length: 250 }, (_, index) => `metric ${index}`),
  );
  let held = await run.claim(0);
  const pairs = await run.allJudged(held);
  const { commit } = settling(database);
  for (let start = 0; start < pairs.length; start += 32) held = await commit(held, 250, pairs.slice(start, start + 32));

  expect(await readLate(run)).toEqual(expected(run, run.targets));
});

test("targets that went missing half judged do not hide the others' scores", async () => {
  const run = await storedRun(database, 2, ["a", "b"]);
  const [gone = "", there = ""] = run.targets;
  const held = await run.claim(0);
  const pairs = await run.allJudged(held);
  const { commit } = settling(database);
  const half = await commit(held, 2, pairs.slice(0, 1));
  await deleteTrace(database, run.order.projectId, gone);
  await commit(half, 2, pairs.slice(1));

  expect(await run.runs.get(run.order.projectId, run.order.id)).toMatchObject({ scored: 3, failed: 1, missing: 1 });
  expect(await readLate(run)).toEqual([`${gone} a`, ...expected(run, [there])].toSorted());
});

test("a run that nothing was judged of has no scores", async () => {
  const run = await storedRun(database, 2, ["a"]);

  expect(await readLate(run)).toEqual([]);
});

import { afterAll, beforeAll, expect, test } from "vitest";
import { automatedScoreId } from "../../../lib/domain/scores/automated-score.ts";
import { editScore } from "../../../lib/domain/scores/edit.ts";
import { targetPage } from "../../../lib/evaluation/read/target-page.ts";
import { failedTargets } from "../../../lib/evaluation/start/failed-targets.ts";
import { unscoredPair } from "../../../lib/evaluation/slices/settled-pairs.ts";
import { scoreChanges } from "../../../lib/store/scores/changes.ts";
import { traceScoreKind } from "../../../lib/store/scores/kind.ts";
import { runScores } from "../../../lib/store/scores/of-run.ts";
import { startDatabase, type TestDatabase } from "../../support/database/database.ts";
import { settling, storedRun, type StoredFixture } from "./run-fixture.ts";

let database: TestDatabase;
beforeAll(async () => {
  database = await startDatabase();
});
afterAll(() => database.close());

const readRecord = async ({ runs, order }: StoredFixture) => {
  const runRecord = await runs.read(order.projectId, order.id);
  if (runRecord === null) throw new Error("The run is gone.");
  return runRecord;
};

const retriedTargetIds = async (run: StoredFixture): Promise<readonly (string | undefined)[]> => {
  const { targets } = await failedTargets(await readRecord(run), run.runs, runScores(database, traceScoreKind));
  return targets.map(({ id }) => id);
};

const scoreChangesOf = (run: StoredFixture, target: number) => {
  const id = automatedScoreId(run.order.id, run.targets[target] ?? "", "a");
  const changes = scoreChanges(database, traceScoreKind);
  const at = "2026-11-22T10:00:00+00:00";
  return {
    edit: () => changes.edit(run.order.projectId, id, (score) => editScore(score, { value: "0.5" }, null, at)),
    remove: () => changes.remove(run.order.projectId, id),
  };
};

test("a failed pair whose score a user has edited or deleted is not judged again, and an edited one is settled", async () => {
  const run = await storedRun(database, 3, ["a"]);
  const storedSlice = await run.claim(0);
  const pairs = await Promise.all([0, 1, 2].map((pair) => run.judged(storedSlice, pair, null)));
  await settling(database).commit(storedSlice, 1, pairs);
  const before = await retriedTargetIds(run);

  await scoreChangesOf(run, 0).edit();
  await scoreChangesOf(run, 1).remove();

  expect(before).toEqual(run.targets);
  expect(await retriedTargetIds(run)).toEqual([run.targets[2]]);
  const page = { limit: 10, offset: 0 };
  const scores = runScores(database, traceScoreKind);
  const targets = await targetPage(await readRecord(run), page, run.runs, scores, Date.now());
  expect(targets.map(({ progress }) => [progress.state, progress.metrics[0]?.state])).toEqual([
    ["settled", "settled"],
    ["failed", "failed"],
    ["failed", "failed"],
  ]);
});

test("pairs that were given up without a score are judged again", async () => {
  const run = await storedRun(database, 2, ["a"]);
  const storedSlice = await run.claim(0);
  const pairs = [await run.judged(storedSlice, 0, 0.5), unscoredPair(1, "There is no money left.")];
  await settling(database).commit(storedSlice, 1, pairs);

  expect(await retriedTargetIds(run)).toEqual([run.targets[1]]);
});

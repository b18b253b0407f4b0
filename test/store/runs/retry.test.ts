import { afterAll, beforeAll, expect, test } from "vitest";
import { automatedScoreId } from "../../../lib/domain/scores/automated-score.ts";
import { editScore } from "../../../lib/domain/scores/edit.ts";
import { targetPage } from "../../../lib/evaluation/read/target-page.ts";
import { failedTargets } from "../../../lib/evaluation/start/failed-targets.ts";
import { unscoredPair } from "../../../lib/evaluation/slices/settled-pairs.ts";
import { scoreChanges } from "../../../lib/store/scores/changes.ts";
import { traceScores } from "../../../lib/store/scores/kind.ts";
import { runScores } from "../../../lib/store/scores/of-run.ts";
import { startDatabase, type TestDatabase } from "../../support/database/database.ts";
import { settling, storedRun, type StoredFixture } from "./run-fixture.ts";

let database: TestDatabase;
beforeAll(async () => {
  database = await startDatabase();
});
afterAll(() => database.close());

const storedOf = async ({ runs, order }: StoredFixture) => {
  const stored = await runs.read(order.projectId, order.id);
  if (stored === null) throw new Error("The run is gone.");
  return stored;
};

const wanted = async (run: StoredFixture): Promise<readonly (string | undefined)[]> => {
  const { targets } = await failedTargets(await storedOf(run), run.runs, runScores(database, traceScores));
  return targets.map(({ id }) => id);
};

const changed = (run: StoredFixture, target: number) => {
  const id = automatedScoreId(run.order.id, run.targets[target] ?? "", "a");
  const changes = scoreChanges(database, traceScores);
  const at = "2026-11-22T10:00:00+00:00";
  return {
    edit: () => changes.edit(run.order.projectId, id, (score) => editScore(score, { value: "0.5" }, null, at)),
    remove: () => changes.remove(run.order.projectId, id),
  };
};

test("a failed pair whose score somebody has edited or deleted is not judged again, and an edited one is settled", async () => {
  const run = await storedRun(database, 3, ["a"]);
  const held = await run.claim(0);
  const pairs = await Promise.all([0, 1, 2].map((pair) => run.judged(held, pair, null)));
  await settling(database).commit(held, 1, pairs);
  const before = await wanted(run);

  await changed(run, 0).edit();
  await changed(run, 1).remove();

  expect(before).toEqual(run.targets);
  expect(await wanted(run)).toEqual([run.targets[2]]);
  const page = { limit: 10, offset: 0 };
  const scores = runScores(database, traceScores);
  const targets = await targetPage(await storedOf(run), page, run.runs, scores, Date.now());
  expect(targets.map(({ progress }) => [progress.state, progress.metrics[0]?.state])).toEqual([
    ["settled", "settled"],
    ["failed", "failed"],
    ["failed", "failed"],
  ]);
});

test("pairs that were given up without a score are judged again", async () => {
  const run = await storedRun(database, 2, ["a"]);
  const held = await run.claim(0);
  const given = [await run.judged(held, 0, 0.5), unscoredPair(1, "There is no money left.")];
  await settling(database).commit(held, 1, given);

  expect(await wanted(run)).toEqual([run.targets[1]]);
});

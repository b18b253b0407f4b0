import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { automatedScoreId } from "../../../lib/domain/scores/automated-score.ts";
import type { IdempotencyCheck } from "../../../lib/domain/idempotency-check.ts";
import { editScore } from "../../../lib/domain/scores/edit.ts";
import type { TraceScore } from "../../../lib/domain/scores/score.ts";
import type { Database } from "../../../lib/dynamo/database.ts";
import { DifferentScore, OtherScore, scoreChanges } from "../../../lib/store/scores/changes.ts";
import { scoreCreation } from "../../../lib/store/scores/creation.ts";
import { traceScoreKind } from "../../../lib/store/scores/kind.ts";
import { scoreReader } from "../../../lib/store/scores/reader.ts";
import { traceScoreList } from "../../../lib/store/scores/of-trace.ts";
import { startDatabase, type TestDatabase } from "../../support/database/database.ts";
import { faultyDatabase } from "../../support/faults/faults.ts";
import { once, pauseAt } from "../../support/database/watched-database.ts";
import { settling, storedRun } from "../runs/run-fixture.ts";
import { scoreKeys, someScore, storedTrace } from "./score-fixture.ts";

let database: TestDatabase;
beforeAll(async () => {
  database = await startDatabase();
});
afterAll(() => database.close());

const later = "2026-11-21T10:00:00+00:00";
const isTransaction = ({ operation }: { readonly operation: string }): boolean => operation === "TransactWriteItems";

const storedScore = async (
  fields: Partial<TraceScore> = {},
  ...repeat: [] | [IdempotencyCheck]
): Promise<TraceScore> => {
  const project_id = randomUUID();
  const score = someScore({ project_id, trace_id: await storedTrace(database, project_id), ...fields });
  const savedScore = await scoreCreation(database).ofTrace(score, ...repeat);
  if (savedScore === null) throw new Error("The trace does not exist.");
  return savedScore;
};

/** Reads a score from its own item and from its copy under the trace. */
const readBothItems = async ({ project_id, trace_id, id }: TraceScore) => {
  const copies: TraceScore[] = [];
  for await (const copy of traceScoreList(database).ofTarget(project_id, { target_id: trace_id })) copies.push(copy);
  return { scores: await scoreReader(database, traceScoreKind).read(project_id, [id]), copies };
};

const edit = (on: Database, score: TraceScore, fields: Parameters<typeof editScore>[1], editor = "u") =>
  scoreChanges(on, traceScoreKind).edit(score.project_id, score.id, (currentScore) =>
    editScore(currentScore, fields, editor, later),
  );

test("two concurrent edits are both applied, to the score and its copy", async () => {
  const score = await storedScore();
  const transactionGate = pauseAt(isTransaction);
  const slow = faultyDatabase(database, transactionGate.decide);

  const first = edit(slow, score, { value: "0.9" });
  await transactionGate.reached;
  await edit(database, score, { reason: "Looked at by hand." });
  transactionGate.open();
  const edited = await first;

  expect(edited).toMatchObject({ value: "0.9", reason: "Looked at by hand." });
  expect(await readBothItems(score)).toEqual({ scores: [edited], copies: [edited] });
});

test("many concurrent edits lose no change", async () => {
  const score = await storedScore();
  const names = Array.from({ length: 6 }, (_, index) => `key ${index}`);

  await Promise.all(
    names.map((name) =>
      scoreChanges(database, traceScoreKind).edit(score.project_id, score.id, (currentScore) => ({
        ...currentScore,
        metadata: { ...currentScore.metadata, [name]: 1 },
      })),
    ),
  );

  const { scores, copies } = await readBothItems(score);
  expect(Object.keys(scores[0]?.metadata ?? {}).toSorted()).toEqual(names);
  expect(copies).toEqual(scores);
});

test("an edit that meets a deletion finds no score and does not restore it", async () => {
  const score = await storedScore();
  const transactionGate = pauseAt(isTransaction);
  const slow = faultyDatabase(database, transactionGate.decide);

  const editing = edit(slow, score, { value: "0.9" });
  await transactionGate.reached;
  const removed = await scoreChanges(database, traceScoreKind).remove(score.project_id, score.id);
  transactionGate.open();

  expect(removed).toBe(true);
  expect(await editing).toBeNull();
  expect(await scoreKeys(database, score.project_id)).toEqual([]);
});

test.each(["conflict", "throttle", "throttled-item", "timeout-before", "timeout-after", "reset"] as const)(
  "an edit has the same result when its first attempt ends in %s",
  async (kind) => {
    const score = await storedScore();

    const edited = await edit(faultyDatabase(database, once(isTransaction, kind)), score, { value: "0.9" });

    expect(edited).toMatchObject({ value: "0.9", status: "SUCCESS" });
    expect(await readBothItems(score)).toEqual({ scores: [edited], copies: [edited] });
  },
);

test("a worker that commits its scores again does not overwrite a person's edit", async () => {
  const run = await storedRun(database, 1, ["a", "b"]);
  const storedSlice = await run.claim(0);
  const pairs = await run.allJudged(storedSlice);
  const { commit } = settling(database);
  const halfSettled = await commit(storedSlice, 2, pairs.slice(0, 1));
  const [score] = await run.scores();
  if (score === undefined) throw new Error("The run has no score.");

  const edited = await edit(database, score, { value: "0.9" });
  await commit(halfSettled, 2, pairs);

  expect((await run.scores()).find(({ id }) => id === score.id)).toEqual(edited);
  expect(await run.runs.get(run.order.projectId, run.order.id)).toMatchObject({ status: "COMPLETED", scored: 2 });
});

test("a score that a person deleted stays deleted when its slice is claimed again", async () => {
  const run = await storedRun(database, 1, ["a", "b"]);
  const storedSlice = await run.claim(0);
  const { commit } = settling(database);
  await commit(storedSlice, 2, [await run.judged(storedSlice, 0, 0.5)]);
  const [projectId, target = ""] = [run.order.projectId, run.targets[0]];
  await scoreChanges(database, traceScoreKind).remove(projectId, automatedScoreId(run.order.id, target, "a"));

  const reclaimedSlice = await run.claim(0, Date.now() + 3_600_000);
  const { bits } = reclaimedSlice.slice;
  await settling(database, () => Date.now() + 3_600_000).commit(reclaimedSlice, 2, [
    await run.judged(reclaimedSlice, 1, 0.5),
  ]);

  expect(bits.settled[0]).toBe(1);
  expect((await run.scores()).map(({ name }) => name)).toEqual(["b"]);
});

test("the deletion of a score that was deleted and sent again meanwhile leaves no copy of it", async () => {
  const score = await storedScore();
  const transactionGate = pauseAt(isTransaction);
  const { remove } = scoreChanges(faultyDatabase(database, transactionGate.decide), traceScoreKind);
  const removing = remove(score.project_id, score.id);
  await transactionGate.reached;
  await scoreChanges(database, traceScoreKind).remove(score.project_id, score.id);
  await scoreCreation(database).ofTrace({ ...score, created_at: later });
  transactionGate.open();

  expect([await removing, await scoreKeys(database, score.project_id)]).toEqual([true, []]);
});

test.each([
  ["of another name", {}, { name: "other" }, true],
  ["of an evaluation", { eval_run_id: randomUUID() }, {}, true],
  ["of another target", {}, {}, false],
])("a score %s is not replaced by one that is sent with its id", async (_, fields, sent, isOfTarget) => {
  const score = await storedScore(fields);
  const replacement = { ...score, eval_run_id: null, value: "0.9", ...sent };
  const replaced = scoreChanges(database, traceScoreKind).replace(replacement, () => isOfTarget);

  await expect(replaced).rejects.toThrow(OtherScore);
  expect(await readBothItems(score)).toEqual({ scores: [score], copies: [score] });
});

test("a score that is sent again as it is stays as it is, and another one keeps its external id and the state before", async () => {
  const score = await storedScore({ external_id: "own" });
  const { replace } = scoreChanges(database, traceScoreKind);
  const sent = { ...score, external_id: "another", updated_at: later };
  const [same, changed] = [await replace(sent, () => true), await replace({ ...sent, value: "0.9" }, () => true)];

  expect(same).toEqual(score);
  expect(changed).toMatchObject({ external_id: "own", value: "0.9", updated_at: later, original: { value: "0.5" } });
  expect(await readBothItems(score)).toEqual({ scores: [changed], copies: [changed] });
});

test("the request that created a score is known again after an edit, and one with another body is not", async () => {
  const repeat = (bodyHash: string): IdempotencyCheck => ({
    bodyHash,
    checkReplay: (stored) => {
      if (stored !== bodyHash) throw new DifferentScore("It has another body.");
    },
  });
  const score = await storedScore({}, repeat("first"));
  await edit(database, score, { value: "0.9" });

  expect(await scoreCreation(database).ofTrace(score, repeat("first"))).toMatchObject({ id: score.id, value: "0.5" });
  await expect(scoreCreation(database).ofTrace(score, repeat("second"))).rejects.toThrow(DifferentScore);
});

import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { automatedScoreId } from "../../../lib/domain/scores/automated-score.ts";
import { editScore } from "../../../lib/domain/scores/edit.ts";
import type { TraceScore } from "../../../lib/domain/scores/score.ts";
import type { Database } from "../../../lib/store/database.ts";
import { scoreChanges } from "../../../lib/store/scores/changes.ts";
import { scoreCreation } from "../../../lib/store/scores/creation.ts";
import { traceScores } from "../../../lib/store/scores/kind.ts";
import { scoreReader } from "../../../lib/store/scores/reader.ts";
import { traceScoreList } from "../../../lib/store/scores/of-trace.ts";
import { startDatabase, type TestDatabase } from "../../support/database/database.ts";
import { faultyDatabase } from "../../support/faults/faults.ts";
import { gate } from "../../support/service/gate.ts";
import { once } from "../../support/database/watched-database.ts";
import { settling, storedRun } from "../runs/run-fixture.ts";
import { scoreKeys, someScore, storedTrace } from "./score-fixture.ts";

let database: TestDatabase;
beforeAll(async () => {
  database = await startDatabase();
});
afterAll(() => database.close());

const later = "2026-11-21T10:00:00+00:00";
const isTransaction = ({ operation }: { readonly operation: string }): boolean => operation === "TransactWriteItems";

const storedScore = async (): Promise<TraceScore> => {
  const project_id = randomUUID();
  const score = someScore({ project_id, trace_id: await storedTrace(database, project_id) });
  const stored = await scoreCreation(database).ofTrace(score);
  if (stored === null) throw new Error("The trace is not there.");
  return stored;
};

/** A score as both of its items have it. */
const bothOf = async ({ project_id, trace_id, id }: TraceScore) => {
  const copies: TraceScore[] = [];
  for await (const copy of traceScoreList(database).ofTarget(project_id, { target_id: trace_id })) copies.push(copy);
  return { scores: await scoreReader(database, traceScores).read(project_id, [id]), copies };
};

const edit = (on: Database, score: TraceScore, fields: Parameters<typeof editScore>[1], editor = "u") =>
  scoreChanges(on, traceScores).edit(score.project_id, score.id, (held) => editScore(held, fields, editor, later));

test("two editors at once both have their way, and the copy tells the same", async () => {
  const score = await storedScore();
  const here = gate();
  const slow = faultyDatabase(database, async (call) => {
    if (isTransaction(call)) await here.pass();
    return null;
  });

  const first = edit(slow, score, { value: "0.9" });
  await here.reached;
  await edit(database, score, { reason: "Looked at by hand." });
  here.open();
  const edited = await first;

  expect(edited).toMatchObject({ value: "0.9", reason: "Looked at by hand." });
  expect(await bothOf(score)).toEqual({ scores: [edited], copies: [edited] });
});

test("many editors at once lose nothing", async () => {
  const score = await storedScore();
  const names = Array.from({ length: 6 }, (_, index) => `key ${index}`);

  await Promise.all(
    names.map((name) =>
      scoreChanges(database, traceScores).edit(score.project_id, score.id, (held) => ({
        ...held,
        metadata: { ...held.metadata, [name]: 1 },
      })),
    ),
  );

  const { scores, copies } = await bothOf(score);
  expect(Object.keys(scores[0]?.metadata ?? {}).toSorted()).toEqual(names);
  expect(copies).toEqual(scores);
});

test("an edit that meets a deletion finds nothing to edit, and brings nothing back", async () => {
  const score = await storedScore();
  const here = gate();
  const slow = faultyDatabase(database, async (call) => {
    if (isTransaction(call)) await here.pass();
    return null;
  });

  const editing = edit(slow, score, { value: "0.9" });
  await here.reached;
  const removed = await scoreChanges(database, traceScores).remove(score.project_id, score.id);
  here.open();

  expect(removed).toBe(true);
  expect(await editing).toBeNull();
  expect(await scoreKeys(database, score.project_id)).toEqual([]);
});

test.each(["conflict", "throttle", "throttled-item", "timeout-before", "timeout-after", "reset"] as const)(
  "%s changes nothing of what an edit does",
  async (kind) => {
    const score = await storedScore();

    const edited = await edit(faultyDatabase(database, once(isTransaction, kind)), score, { value: "0.9" });

    expect(edited).toMatchObject({ value: "0.9", status: "SUCCESS" });
    expect(await bothOf(score)).toEqual({ scores: [edited], copies: [edited] });
  },
);

test("a worker that delivers its scores again does not overwrite what a person has edited", async () => {
  const run = await storedRun(database, 1, ["a", "b"]);
  const held = await run.claim(0);
  const pairs = await run.allJudged(held);
  const { commit } = settling(database);
  const half = await commit(held, 2, pairs.slice(0, 1));
  const [score] = await run.scores();
  if (score === undefined) throw new Error("Nothing was scored.");

  const edited = await edit(database, score, { value: "0.9" });
  await commit(half, 2, pairs);

  expect((await run.scores()).find(({ id }) => id === score.id)).toEqual(edited);
  expect(await run.runs.get(run.order.projectId, run.order.id)).toMatchObject({ status: "COMPLETED", scored: 2 });
});

test("a score that a person deleted stays deleted when its slice is taken again", async () => {
  const run = await storedRun(database, 1, ["a", "b"]);
  const held = await run.claim(0);
  const { commit } = settling(database);
  await commit(held, 2, [await run.judged(held, 0, 0.5)]);
  const [projectId, target = ""] = [run.order.projectId, run.targets[0]];
  await scoreChanges(database, traceScores).remove(projectId, automatedScoreId(run.order.id, target, "a"));

  const again = await run.claim(0, Date.now() + 3_600_000);
  const { bits } = again.slice;
  await settling(database, () => Date.now() + 3_600_000).commit(again, 2, [await run.judged(again, 1, 0.5)]);

  expect(bits.settled[0]).toBe(1);
  expect((await run.scores()).map(({ name }) => name)).toEqual(["b"]);
});

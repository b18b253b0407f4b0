import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { scoreCreation } from "../../../lib/store/scores/creation.ts";
import { scoreRemoval } from "../../../lib/store/scores/removal.ts";
import { startDatabase, type TestDatabase } from "../../support/database/database.ts";
import { deleteTrace } from "../../support/traces/delete-trace.ts";
import { faultyDatabase } from "../../support/faults/faults.ts";
import { pausePoint } from "../../support/service/pause-point.ts";
import { traceReader } from "../../../lib/store/traces/reader.ts";
import { settling, storedRun } from "../runs/run-fixture.ts";
import { scoreKeys, someScore, someSessionScore, storedTrace } from "./score-fixture.ts";

let database: TestDatabase;
beforeAll(async () => {
  database = await startDatabase();
});
afterAll(() => database.close());

const incarnationOf = async (project: string, trace: string): Promise<string> =>
  (await traceReader(database).locate(project, trace))?.row.incarnation ?? "";

/** A trace with `count` scores in a project of its own. */
const scoredTrace = async (count: number) => {
  const project_id = randomUUID();
  const trace_id = await storedTrace(database, project_id);
  const creation = scoreCreation(database);
  await Promise.all(Array.from({ length: count }, () => creation.ofTrace(someScore({ project_id, trace_id }))));
  return { project_id, trace_id, incarnation: await incarnationOf(project_id, trace_id) };
};

test("removing a trace's scores removes their copies, and no scores of other incarnations or traces", async () => {
  const { project_id, trace_id, incarnation } = await scoredTrace(60);
  const otherTrace = await storedTrace(database, project_id);
  await deleteTrace(database, project_id, trace_id);
  await storedTrace(database, project_id, { trace_id });
  const remainingScores = [
    someScore({ project_id, trace_id, created_at: "2026-11-21T12:00:00+00:00" }),
    someScore({ project_id, trace_id: otherTrace }),
  ];
  for (const score of remainingScores) await scoreCreation(database).ofTrace(score);

  const { removeScoresOfTrace } = scoreRemoval(database);
  await removeScoresOfTrace(project_id, trace_id, incarnation);
  await removeScoresOfTrace(project_id, trace_id, incarnation);

  expect(await scoreKeys(database, project_id)).toEqual(
    remainingScores
      .flatMap(({ id, trace_id, created_at }) => [
        `${project_id}#score#${id} score`,
        `${project_id}#trace#${trace_id} ${created_at}#${id}`,
      ])
      .toSorted(),
  );
});

test("a score that is recreated during the removal of the last incarnation's scores stays", async () => {
  const { project_id, trace_id, incarnation } = await scoredTrace(3);
  const score = someScore({ project_id, trace_id });
  await scoreCreation(database).ofTrace(score);
  await deleteTrace(database, project_id, trace_id);
  await storedTrace(database, project_id, { trace_id });
  const transactionGate = pausePoint();
  const slow = faultyDatabase(database, async ({ operation }) => {
    if (operation === "TransactWriteItems") await transactionGate.pass();
    return null;
  });

  const removing = scoreRemoval(slow).removeScoresOfTrace(project_id, trace_id, incarnation);
  await transactionGate.reached;
  const recreatedScore = await scoreCreation(database).ofTrace({ ...score, created_at: "2026-11-21T12:00:00+00:00" });
  transactionGate.open();
  await removing;

  expect(await scoreKeys(database, project_id)).toEqual(
    [
      `${project_id}#score#${score.id} score`,
      `${project_id}#trace#${trace_id} ${recreatedScore?.created_at}#${score.id}`,
    ].toSorted(),
  );
});

test("a removal that is killed at any request leaves no score without its copy, and is completed by the next", async () => {
  let kills = 0;
  for (let at = 0; kills === at; at += 1) {
    const { project_id, trace_id, incarnation } = await scoredTrace(60);
    let requests = 0;
    const dying = faultyDatabase(database, ({ operation }) => {
      if (operation.includes("(")) return null;
      requests += 1;
      return requests === at + 1 ? "crash-after" : null;
    });

    await scoreRemoval(dying)
      .removeScoresOfTrace(project_id, trace_id, incarnation)
      .catch(() => undefined);
    if (dying.crashed) kills += 1;
    const remainingKeys = await scoreKeys(database, project_id);
    await scoreRemoval(database).removeScoresOfTrace(project_id, trace_id, incarnation);

    expect(remainingKeys.filter((key) => key.includes("#score#"))).toHaveLength(remainingKeys.length / 2);
    expect(await scoreKeys(database, project_id)).toEqual([]);
  }
  expect(kills).toBeGreaterThan(2);
});

test("a removal retries after transaction conflicts", async () => {
  const { project_id, trace_id, incarnation } = await scoredTrace(3);
  let conflicts = 2;
  const faulty = faultyDatabase(database, ({ operation }) => {
    if (operation !== "TransactWriteItems" || conflicts === 0) return null;
    conflicts -= 1;
    return "conflict";
  });

  await scoreRemoval(faulty).removeScoresOfTrace(project_id, trace_id, incarnation);

  expect(conflicts).toBe(0);
  expect(await scoreKeys(database, project_id)).toEqual([]);
});

test("a session's scores are removed up to and including an instant, later ones stay", async () => {
  const project_id = randomUUID();
  const session_id = "a#b";
  await storedTrace(database, project_id, { session_id });
  await storedTrace(database, project_id, { session_id: "a" });
  const at = "2026-11-21T09:00:00+00:00";
  const created = ["2026-11-21T08:00:00+00:00", at, "2026-11-21T09:00:00.000001+00:00"];
  const scores = created.map((created_at) => someSessionScore({ project_id, session_id, created_at }));
  const otherScore = someSessionScore({ project_id, session_id: "a", created_at: at });
  for (const score of [...scores, otherScore]) await scoreCreation(database).ofSession(score);

  await scoreRemoval(database).removeScoresOfSession(project_id, session_id, at);

  const remainingKeys = await scoreKeys(database, project_id);
  const ids = remainingKeys.flatMap((key) => /#session-score#(\S+)/.exec(key)?.[1] ?? []);
  expect(ids).toEqual([scores[2]?.id, otherScore.id].toSorted());
  expect(remainingKeys).toHaveLength(4);
});

test("removing a run's scores includes edited ones, and removes no others", async () => {
  const run = await storedRun(database, 2, ["a", "b"]);
  const { projectId, id } = run.order;
  const storedSlice = await run.claim(0);
  await settling(database).commit(storedSlice, 2, await run.allJudged(storedSlice));
  const otherScore = someScore({ project_id: projectId, trace_id: run.targets[0] ?? "" });
  await scoreCreation(database).ofTrace(otherScore);

  const { removeScoresOfRun } = scoreRemoval(database);
  const [firstCount, secondCount] = [
    await removeScoresOfRun(projectId, id, Number.POSITIVE_INFINITY),
    await removeScoresOfRun(projectId, id, Number.POSITIVE_INFINITY),
  ];

  expect([firstCount, secondCount]).toEqual([4, 0]);
  const remainingKeys = await scoreKeys(database, projectId);
  expect(remainingKeys.filter((key) => key.includes(otherScore.id))).toEqual(remainingKeys);
  expect(remainingKeys).toHaveLength(2);
});

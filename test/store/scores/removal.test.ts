import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { scoreCreation } from "../../../lib/store/scores/creation.ts";
import { scoreRemoval } from "../../../lib/store/scores/removal.ts";
import { startDatabase, type TestDatabase } from "../../support/database/database.ts";
import { deleteTrace } from "../../support/traces/delete-trace.ts";
import { faultyDatabase } from "../../support/faults/faults.ts";
import { gate } from "../../support/service/gate.ts";
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

/** A trace with that many scores, in a project of its own. */
const scoredTrace = async (count: number) => {
  const project_id = randomUUID();
  const trace_id = await storedTrace(database, project_id);
  const creation = scoreCreation(database);
  await Promise.all(Array.from({ length: count }, () => creation.ofTrace(someScore({ project_id, trace_id }))));
  return { project_id, trace_id, incarnation: await incarnationOf(project_id, trace_id) };
};

test("a trace's scores go with their copies, those of its other incarnations and of other traces stay", async () => {
  const { project_id, trace_id, incarnation } = await scoredTrace(60);
  const other = await storedTrace(database, project_id);
  await deleteTrace(database, project_id, trace_id);
  await storedTrace(database, project_id, { trace_id });
  const kept = [
    someScore({ project_id, trace_id, created_at: "2026-11-21T12:00:00+00:00" }),
    someScore({ project_id, trace_id: other }),
  ];
  for (const score of kept) await scoreCreation(database).ofTrace(score);

  const { removeScoresOfTrace } = scoreRemoval(database);
  await removeScoresOfTrace(project_id, trace_id, incarnation);
  await removeScoresOfTrace(project_id, trace_id, incarnation);

  expect(await scoreKeys(database, project_id)).toEqual(
    kept
      .flatMap(({ id, trace_id, created_at }) => [
        `${project_id}#score#${id} score`,
        `${project_id}#trace#${trace_id} ${created_at}#${id}`,
      ])
      .toSorted(),
  );
});

test("a score that is made again while those of the last incarnation are removed stays, and the others go", async () => {
  const { project_id, trace_id, incarnation } = await scoredTrace(3);
  const score = someScore({ project_id, trace_id });
  await scoreCreation(database).ofTrace(score);
  await deleteTrace(database, project_id, trace_id);
  await storedTrace(database, project_id, { trace_id });
  const here = gate();
  const slow = faultyDatabase(database, async ({ operation }) => {
    if (operation === "TransactWriteItems") await here.pass();
    return null;
  });

  const removing = scoreRemoval(slow).removeScoresOfTrace(project_id, trace_id, incarnation);
  await here.reached;
  const made = await scoreCreation(database).ofTrace({ ...score, created_at: "2026-11-21T12:00:00+00:00" });
  here.open();
  await removing;

  expect(await scoreKeys(database, project_id)).toEqual(
    [
      `${project_id}#score#${score.id} score`,
      `${project_id}#trace#${trace_id} ${made?.created_at}#${score.id}`,
    ].toSorted(),
  );
});

test("a removal that is killed at any of its requests leaves no half of a score, and is finished by the next", async () => {
  let kills = 0;
  for (let at = 0; kills === at; at += 1) {
    const { project_id, trace_id, incarnation } = await scoredTrace(60);
    let seen = 0;
    const dying = faultyDatabase(database, ({ operation }) => {
      if (operation.includes("(")) return null;
      seen += 1;
      return seen === at + 1 ? "crash-after" : null;
    });

    await scoreRemoval(dying)
      .removeScoresOfTrace(project_id, trace_id, incarnation)
      .catch(() => undefined);
    if (dying.crashed) kills += 1;
    const left = await scoreKeys(database, project_id);
    await scoreRemoval(database).removeScoresOfTrace(project_id, trace_id, incarnation);

    expect(left.filter((key) => key.includes("#score#"))).toHaveLength(left.length / 2);
    expect(await scoreKeys(database, project_id)).toEqual([]);
  }
  expect(kills).toBeGreaterThan(2);
});

test("conflicts are waited out", async () => {
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

test("a session's scores go up to a time, that time included, and later ones stay", async () => {
  const project_id = randomUUID();
  const session_id = "a#b";
  await storedTrace(database, project_id, { session_id });
  await storedTrace(database, project_id, { session_id: "a" });
  const at = "2026-11-21T09:00:00+00:00";
  const created = ["2026-11-21T08:00:00+00:00", at, "2026-11-21T09:00:00.000001+00:00"];
  const scores = created.map((created_at) => someSessionScore({ project_id, session_id, created_at }));
  const other = someSessionScore({ project_id, session_id: "a", created_at: at });
  for (const score of [...scores, other]) await scoreCreation(database).ofSession(score);

  await scoreRemoval(database).removeScoresOfSession(project_id, session_id, at);

  const left = await scoreKeys(database, project_id);
  const ids = left.flatMap((key) => /#session-score#(\S+)/.exec(key)?.[1] ?? []);
  expect(ids).toEqual([scores[2]?.id, other.id].toSorted());
  expect(left).toHaveLength(4);
});

test("a run's scores go, edited ones too, and nothing else does", async () => {
  const run = await storedRun(database, 2, ["a", "b"]);
  const { projectId, id } = run.order;
  const held = await run.claim(0);
  await settling(database).commit(held, 2, await run.allJudged(held));
  const kept = someScore({ project_id: projectId, trace_id: run.targets[0] ?? "" });
  await scoreCreation(database).ofTrace(kept);

  const { removeScoresOfRun } = scoreRemoval(database);
  const [found, again] = [
    await removeScoresOfRun(projectId, id, Number.POSITIVE_INFINITY),
    await removeScoresOfRun(projectId, id, Number.POSITIVE_INFINITY),
  ];

  expect([found, again]).toEqual([4, 0]);
  const left = await scoreKeys(database, projectId);
  expect(left.filter((key) => key.includes(kept.id))).toEqual(left);
  expect(left).toHaveLength(2);
});

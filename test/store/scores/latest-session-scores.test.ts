import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { latestSessionScores } from "../../../lib/store/scores/latest-of-session.ts";
import { scoreChanges } from "../../../lib/store/scores/changes.ts";
import { scoreCreation } from "../../../lib/store/scores/creation.ts";
import { sessionScores } from "../../../lib/store/scores/kind.ts";
import { startDatabase, type TestDatabase } from "../../support/database/database.ts";
import { faultyDatabase } from "../../support/faults/faults.ts";
import { gate } from "../../support/service/gate.ts";
import { isOn } from "../../support/database/watched-database.ts";
import { someSessionScore, storedTrace } from "./score-fixture.ts";

let database: TestDatabase;
beforeAll(async () => {
  database = await startDatabase();
});
afterAll(() => database.close());

const name = "reliable";

const scoredSession = async (values: readonly string[]) => {
  const project_id = randomUUID();
  const session_id = "chat";
  await storedTrace(database, project_id, { session_id });
  const scores = values.map((value, index) =>
    someSessionScore({ project_id, session_id, name, value, created_at: `2026-11-21T0${index}:00:00+00:00` }),
  );
  for (const score of scores) await scoreCreation(database).ofSession(score);
  return { project: project_id, session: session_id, scores };
};

const scoresOf = async (project: string, now?: () => number) =>
  (await latestSessionScores(database, now).list(project, name)).map(({ session, score }) => [session, score]);

test("the newest score of a session is the one that is told", async () => {
  const { project, session } = await scoredSession(["0.5", "0.75"]);

  await latestSessionScores(database).refresh(project, name, session);
  await latestSessionScores(database).refresh(project, "another", session);

  expect(await scoresOf(project)).toEqual([["chat", 0.75]]);
  expect(await latestSessionScores(database).list(project, "another")).toEqual([]);
});

test("a reader that was overtaken does not bring back what has been deleted since", async () => {
  const { project, session, scores } = await scoredSession(["0.5"]);
  const here = gate();
  const slow = faultyDatabase(database, async (call) => {
    if (isOn("PutItem", "aggregates")(call)) await here.pass();
    return null;
  });

  const late = latestSessionScores(slow).refresh(project, name, session);
  await here.reached;
  await scoreChanges(database, sessionScores).remove(project, scores[0]?.id ?? "");
  await latestSessionScores(database).refresh(project, name, session);
  here.open();
  await late;

  expect(await scoresOf(project)).toEqual([]);
});

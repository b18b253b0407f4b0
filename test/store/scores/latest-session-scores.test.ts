import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { judgeIdentity } from "../../../lib/domain/scores/score.ts";
import { batchWrite } from "../../../lib/dynamo/batches.ts";
import { sessionScoreItems } from "../../../lib/store/scores/codec.ts";
import { erasePartition, keyPages } from "../../../lib/dynamo/erase-items.ts";
import { deletionRequests } from "../../../lib/store/deletion/requests.ts";
import { latestPartition, latestSessionScores } from "../../../lib/store/scores/latest-of-session.ts";
import { latestOfJudge } from "../../../lib/store/scores/latest-of-judge.ts";
import { scoreChanges } from "../../../lib/store/scores/changes.ts";
import { scoreCreation } from "../../../lib/store/scores/creation.ts";
import { sessionScoreKind } from "../../../lib/store/scores/kind.ts";
import { refreshSessions } from "../../../lib/stream/scored-sessions.ts";
import { countCapacity } from "../../bench/capacity.ts";
import { startDatabase, type TestDatabase } from "../../support/database/database.ts";
import { faultyDatabase } from "../../support/faults/faults.ts";
import { isOn, pauseAt } from "../../support/database/watched-database.ts";
import { storedProject } from "../../support/database/stored-project.ts";
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

test("the newest score of a session is listed", async () => {
  const { project, session } = await scoredSession(["0.5", "0.75"]);

  await latestSessionScores(database).refresh(project, name, session);
  await latestSessionScores(database).refresh(project, "another", session);

  expect(await scoresOf(project)).toEqual([["chat", 0.75]]);
  expect(await latestSessionScores(database).list(project, "another")).toEqual([]);
});

test("a refresh that was overtaken does not restore a deleted score", async () => {
  const { project, session, scores } = await scoredSession(["0.5"]);
  await storedProject(database, project);
  const putGate = pauseAt(isOn("PutItem", "aggregates"));
  const slow = faultyDatabase(database, putGate.decide);

  const overtakenRefresh = latestSessionScores(slow).refresh(project, name, session);
  await putGate.reached;
  await scoreChanges(database, sessionScoreKind).remove(project, scores[0]?.id ?? "");
  await latestSessionScores(database).refresh(project, name, session);
  putGate.open();
  await overtakenRefresh;

  expect(await scoresOf(project)).toEqual([]);
});

test("a successful score costs no reads of earlier failures, and a failed score costs no read at all", async () => {
  const { project, session, scores } = await scoredSession(["0.5"]);
  const failures = Array.from({ length: 600 }, (_, second) =>
    someSessionScore({
      project_id: project,
      session_id: session,
      name,
      status: "FAILED",
      value: null,
      reason: "The provider is down.",
      created_at: new Date(Date.UTC(2026, 10, 21, 1, 0, second)).toISOString().replace(/\.000Z$/u, "+00:00"),
    }),
  );
  const puts = failures.flatMap((score) => sessionScoreItems(score, null).map((Item) => ({ PutRequest: { Item } })));
  await batchWrite(database, "scores", puts);
  const faultyDb = faultyDatabase(database, () => null);
  const [latest, takeCapacity] = [latestSessionScores(faultyDb), countCapacity(faultyDb)];
  const changeOf = (status: "SUCCESS" | "FAILED", order: string) => ({
    project,
    session,
    target: "session" as const,
    before: null,
    after: { name, status, value: null, order },
    sequence: 1n,
  });
  await latest.refresh(project, name, session);
  const costBehindFailures = takeCapacity();

  await refreshSessions(
    latest,
    failures.map(({ id, created_at }) => changeOf("FAILED", `${created_at}#${id}`)),
  );
  const failureCost = takeCapacity();
  const newest = someSessionScore({
    project_id: project,
    session_id: session,
    name,
    value: "0.75",
    created_at: "2026-11-22T00:00:00+00:00",
  });
  await scoreCreation(database).ofSession(newest);
  await refreshSessions(latest, [changeOf("SUCCESS", `${newest.created_at}#${newest.id}`)]);
  const successCost = takeCapacity();

  expect(scores).toHaveLength(1);
  expect(costBehindFailures.read).toBeGreaterThan(50);
  expect(failureCost).toEqual({ read: 0, write: 0, calls: 0 });
  expect(successCost.read).toBeLessThan(12);
  expect(await scoresOf(project)).toEqual([["chat", 0.75]]);
});

test("a session's removed score leaves nothing of a deleted project", async () => {
  const { project, session, scores } = await scoredSession(["0.5"]);
  const stored = await storedProject(database, project);
  await latestSessionScores(database).refresh(project, name, session);

  await deletionRequests(database).ofProject(stored, randomUUID(), false);
  await scoreChanges(database, sessionScoreKind).remove(project, scores[0]?.id ?? "");
  for await (const _ of erasePartition(database, "aggregates", latestPartition(project)));
  await latestSessionScores(database).refresh(project, name, session);

  expect(await keyPages(database, "aggregates", latestPartition(project)).next()).toMatchObject({ done: true });
});

test("the newest number of a session is listed among the scores of one judge", async () => {
  const { project, session } = await scoredSession([]);
  const judge = judgeIdentity("openai/judge-2026-03-17", "0123456789ab");
  const base = { project_id: project, session_id: session, name, judge };
  const scores = [
    { value: "0.5" },
    { value: "0.75" },
    { value: "unclear", data_type: "CATEGORICAL" as const },
    { value: "0.1", judge: judgeIdentity("openai/another-2026-03-17", "0123456789ab") },
  ];
  for (const [hour, score] of scores.entries())
    await scoreCreation(database).ofSession(
      someSessionScore({ ...base, ...score, created_at: `2026-11-21T0${hour}:00:00+00:00` }),
    );

  const latest = await latestOfJudge(database)(project, name, { judge: judge.id });
  expect(latest).toMatchObject([{ session, score: 0.75 }]);
});

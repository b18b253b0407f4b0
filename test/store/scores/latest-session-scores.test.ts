import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { batchWrite } from "../../../lib/store/batch-write.ts";
import { sessionScoreItems } from "../../../lib/store/scores/codec.ts";
import { latestSessionScores } from "../../../lib/store/scores/latest-of-session.ts";
import { scoreChanges } from "../../../lib/store/scores/changes.ts";
import { scoreCreation } from "../../../lib/store/scores/creation.ts";
import { sessionScores } from "../../../lib/store/scores/kind.ts";
import { refreshSessions } from "../../../lib/stream/scored-sessions.ts";
import { countCapacity } from "../../bench/capacity.ts";
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

test("a score costs nothing for those that failed before it, and one that failed asks nothing", async () => {
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
  const own = faultyDatabase(database, () => null);
  const [latest, spent] = [latestSessionScores(own), countCapacity(own)];
  const changed = (status: "SUCCESS" | "FAILED", order: string) => ({
    project,
    session,
    target: "session" as const,
    before: null,
    after: { name, status, value: null, order },
    sequence: 1n,
  });
  await latest.refresh(project, name, session);
  const behindFailures = spent();

  await refreshSessions(
    latest,
    failures.map(({ id, created_at }) => changed("FAILED", `${created_at}#${id}`)),
  );
  const failed = spent();
  const newest = someSessionScore({
    project_id: project,
    session_id: session,
    name,
    value: "0.75",
    created_at: "2026-11-22T00:00:00+00:00",
  });
  await scoreCreation(database).ofSession(newest);
  await refreshSessions(latest, [changed("SUCCESS", `${newest.created_at}#${newest.id}`)]);
  const succeeded = spent();

  expect(scores).toHaveLength(1);
  expect(behindFailures.read).toBeGreaterThan(50);
  expect(failed).toEqual({ read: 0, write: 0, calls: 0 });
  expect(succeeded.read).toBeLessThan(12);
  expect(await scoresOf(project)).toEqual([["chat", 0.75]]);
});

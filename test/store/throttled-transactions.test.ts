import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { refusalOf } from "../../lib/http/refusal-of.ts";
import { gatewayKeyStore } from "../../lib/store/access/clients/gateway-keys.ts";
import { accessStore } from "../../lib/store/access/project-lookup.ts";
import type { Database } from "../../lib/dynamo/database.ts";
import { scoreChanges } from "../../lib/store/scores/changes.ts";
import { scoreCreation } from "../../lib/store/scores/creation.ts";
import { traceScoreKind } from "../../lib/store/scores/kind.ts";
import { scoreRemoval } from "../../lib/store/scores/removal.ts";
import { spendStore } from "../../lib/store/spend/spend.ts";
import { traceReader } from "../../lib/store/traces/reader.ts";
import { traceStore } from "../../lib/store/traces/save.ts";
import { startDatabase, type TestDatabase } from "../support/database/database.ts";
import type { Call } from "../support/faults/fault-kind.ts";
import { faultyDatabase } from "../support/faults/faults.ts";
import { someTrace } from "../support/traces/traces.ts";
import { scoreKeys, someScore, someSessionScore } from "./scores/score-fixture.ts";

let database: TestDatabase;
beforeAll(async () => {
  database = await startDatabase();
});
afterAll(() => database.close());

/** A connection that throttles the transactions that match, with the number of throttled ones. */
const throttlingDatabase = (fits: (call: Call, attempt: number) => boolean) => {
  let [attempt, throttledCount] = [0, 0];
  const faultyDb = faultyDatabase(database, (call) => {
    if (call.operation !== "TransactWriteItems") return null;
    attempt += 1;
    if (!fits(call, attempt)) return null;
    throttledCount += 1;
    return "throttled-item";
  });
  return { faultyDb, throttledCount: () => throttledCount };
};

/** A project with a scored trace that belongs to a session, and an organization. */
const createFixtures = async () => {
  const project = randomUUID();
  const trace = someTrace({ session_id: "session" });
  await traceStore(database, 0).save(project, trace);
  const score = someScore({ project_id: project, trace_id: trace.trace_id });
  await scoreCreation(database).ofTrace(score);
  const organization = await accessStore(database, 10).createOrganization("Acme");
  return { project, trace, score, organization };
};
type Fixtures = Awaited<ReturnType<typeof createFixtures>>;

const budget = { run: randomUUID(), slice: "a#0", epoch: 1, spent: 0, maxUsd: 0.2, minUsd: 0.1 };

/** Writes that use transactions, each with its expected result. */
const work: Readonly<
  Record<string, readonly [(connection: Database, fixtures: Fixtures) => Promise<unknown>, unknown]>
> = {
  "a new score": [
    (connection, { score }) => scoreCreation(connection).ofTrace({ ...score, id: randomUUID() }),
    expect.objectContaining({ name: "helpful" }),
  ],
  "a session's score": [
    (connection, { project }) =>
      scoreCreation(connection).ofSession(someSessionScore({ project_id: project, session_id: "session" })),
    expect.objectContaining({ session_id: "session" }),
  ],
  "a changed score": [
    (connection, { project, score }) =>
      scoreChanges(connection, traceScoreKind).edit(project, score.id, (before) => ({ ...before, value: "1.0" })),
    expect.objectContaining({ value: "1.0" }),
  ],
  "a score that goes": [
    (connection, { project, score }) => scoreChanges(connection, traceScoreKind).remove(project, score.id),
    true,
  ],
  "a trace's scores that go": [
    async (connection, { project, trace }) => {
      const located = await traceReader(database).locate(project, trace.trace_id);
      await scoreRemoval(connection).removeScoresOfTrace(project, trace.trace_id, located?.row.incarnation ?? "");
      return await scoreKeys(database, project);
    },
    [],
  ],
  "a gateway key": [
    (connection) => gatewayKeyStore(connection, "plan", 1_000_000).hold(`key#${randomUUID()}`, "o"),
    { kind: "wanted", withdrawn: null },
  ],
  "a budget": [
    (connection, { project }) =>
      spendStore(connection).reserve({
        ...budget,
        project,
        ceilings: { run: 1, project: null, organization: null, deployment: null },
      }),
    { kind: "granted", usd: 0.2 },
  ],
  "a new project": [
    async (connection, { organization }) =>
      (await accessStore(connection, 10).findOrCreateProject(organization, randomUUID())).organizationId,
    expect.any(String),
  ],
};

test.each(Object.entries(work))("%s is written although an item of it was throttled twice", async (_, [write, end]) => {
  const fixtures = await createFixtures();
  const { faultyDb, throttledCount } = throttlingDatabase((_call, attempt) => attempt <= 2);

  expect(await write(faultyDb, fixtures)).toEqual(end);
  expect(throttledCount()).toBe(2);
});

test("a permanently throttled transaction ends after eight attempts, and its request is answered with 503", async () => {
  const fixtures = await createFixtures();

  const ends = await Promise.all(
    Object.entries(work).map(async ([name, [write]]) => {
      const { faultyDb, throttledCount } = throttlingDatabase(() => true);
      const error: unknown = await write(faultyDb, fixtures).then(
        () => undefined,
        (thrown: unknown) => thrown,
      );
      return [name, refusalOf(error, () => 0)?.reason, throttledCount()];
    }),
  );

  const busy = { kind: "unavailable", detail: "The service is busy. Try again in a moment." };
  expect(ends).toEqual(Object.keys(work).map((name) => [name, busy, 8]));
});

test("scores that exceed the capacity of a partition are removed in smaller groups, and none only in part", async () => {
  const { project, trace, score } = await createFixtures();
  for (let count = 0; count < 59; count += 1) await scoreCreation(database).ofTrace({ ...score, id: randomUUID() });
  const located = await traceReader(database).locate(project, trace.trace_id);
  const sizeOf = ({ input }: Call): number => (Reflect.get(input, "TransactItems") as readonly unknown[]).length;
  const { faultyDb, throttledCount } = throttlingDatabase((call) => sizeOf(call) > 30);
  const before = await scoreKeys(database, project);

  await scoreRemoval(faultyDb).removeScoresOfTrace(project, trace.trace_id, located?.row.incarnation ?? "");

  expect(before).toHaveLength(120);
  expect(throttledCount()).toBeGreaterThan(0);
  expect(await scoreKeys(database, project)).toEqual([]);
});

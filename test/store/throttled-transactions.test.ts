import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { refusalOf } from "../../lib/http/refusal-of.ts";
import { gatewayKeyStore } from "../../lib/store/access/clients/gateway-keys.ts";
import { accessStore } from "../../lib/store/access/projects-of-callers.ts";
import type { Database } from "../../lib/store/database.ts";
import { scoreChanges } from "../../lib/store/scores/changes.ts";
import { scoreCreation } from "../../lib/store/scores/creation.ts";
import { traceScores } from "../../lib/store/scores/kind.ts";
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

/** A connection that throttles an item of those transactions, and how often it did. */
const throttling = (fits: (call: Call, made: number) => boolean) => {
  let [made, throttled] = [0, 0];
  const own = faultyDatabase(database, (call) => {
    if (call.operation !== "TransactWriteItems") return null;
    made += 1;
    if (!fits(call, made)) return null;
    throttled += 1;
    return "throttled-item";
  });
  return { own, throttled: () => throttled };
};

/** A project with a trace of a session and a score of that, and an organization. */
const ground = async () => {
  const project = randomUUID();
  const trace = someTrace({ session_id: "session" });
  await traceStore(database, 0).save(project, trace);
  const score = someScore({ project_id: project, trace_id: trace.trace_id });
  await scoreCreation(database).ofTrace(score);
  const organization = await accessStore(database, 10).createOrganization("Acme");
  return { project, trace, score, organization };
};
type Ground = Awaited<ReturnType<typeof ground>>;

const budget = { run: randomUUID(), slice: "a#0", epoch: 1, spent: 0, want: 0.2, least: 0.1 };

/** What is written in transactions, and what it ends with. */
const work: Readonly<Record<string, readonly [(own: Database, given: Ground) => Promise<unknown>, unknown]>> = {
  "a new score": [
    (own, { score }) => scoreCreation(own).ofTrace({ ...score, id: randomUUID() }),
    expect.objectContaining({ name: "helpful" }),
  ],
  "a session's score": [
    (own, { project }) =>
      scoreCreation(own).ofSession(someSessionScore({ project_id: project, session_id: "session" })),
    expect.objectContaining({ session_id: "session" }),
  ],
  "a changed score": [
    (own, { project, score }) =>
      scoreChanges(own, traceScores).edit(project, score.id, (before) => ({ ...before, value: "1.0" })),
    expect.objectContaining({ value: "1.0" }),
  ],
  "a score that goes": [(own, { project, score }) => scoreChanges(own, traceScores).remove(project, score.id), true],
  "a trace's scores that go": [
    async (own, { project, trace }) => {
      const found = await traceReader(database).locate(project, trace.trace_id);
      await scoreRemoval(own).removeScoresOfTrace(project, trace.trace_id, found?.row.incarnation ?? "");
      return await scoreKeys(database, project);
    },
    [],
  ],
  "a gateway key": [
    (own) => gatewayKeyStore(own, 1_000_000).hold(`key#${randomUUID()}`, "o"),
    { kind: "wanted", withdrawn: null },
  ],
  "a budget": [
    (own, { project }) =>
      spendStore(own).reserve({
        ...budget,
        project,
        ceilings: { run: 1, project: null, organization: null, deployment: null },
      }),
    { kind: "granted", usd: 0.2 },
  ],
  "a new project": [
    async (own, { organization }) =>
      (await accessStore(own, 10).projectNamed(organization, randomUUID())).organizationId,
    expect.any(String),
  ],
};

test.each(Object.entries(work))("%s is written although an item of it was throttled twice", async (_, [write, end]) => {
  const given = await ground();
  const { own, throttled } = throttling((_call, made) => made <= 2);

  expect(await write(own, given)).toEqual(end);
  expect(throttled()).toBe(2);
});

test("what is throttled for good ends after eight attempts, and a request of it with 503", async () => {
  const given = await ground();

  const ends = await Promise.all(
    Object.entries(work).map(async ([name, [write]]) => {
      const { own, throttled } = throttling(() => true);
      const error: unknown = await write(own, given).then(
        () => undefined,
        (thrown: unknown) => thrown,
      );
      return [name, refusalOf(error, () => 0)?.reason, throttled()];
    }),
  );

  const busy = { kind: "unavailable", detail: "The service is busy. Try again in a moment." };
  expect(ends).toEqual(Object.keys(work).map((name) => [name, busy, 8]));
});

test("scores that are too many for what a partition takes are removed in smaller groups, none by half", async () => {
  const { project, trace, score } = await ground();
  for (let made = 0; made < 59; made += 1) await scoreCreation(database).ofTrace({ ...score, id: randomUUID() });
  const found = await traceReader(database).locate(project, trace.trace_id);
  const sizeOf = ({ input }: Call): number => (Reflect.get(input, "TransactItems") as readonly unknown[]).length;
  const { own, throttled } = throttling((call) => sizeOf(call) > 30);
  const before = await scoreKeys(database, project);

  await scoreRemoval(own).removeScoresOfTrace(project, trace.trace_id, found?.row.incarnation ?? "");

  expect(before).toHaveLength(120);
  expect(throttled()).toBeGreaterThan(0);
  expect(await scoreKeys(database, project)).toEqual([]);
});

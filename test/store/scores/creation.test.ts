import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { requestBudget, withRequestBudget } from "../../../lib/async/request-budget.ts";
import type { Database } from "../../../lib/dynamo/database.ts";
import { scoreCreation } from "../../../lib/store/scores/creation.ts";
import { sessionScoreKind, traceScoreKind } from "../../../lib/store/scores/kind.ts";
import { scoreList } from "../../../lib/store/scores/list.ts";
import { scoreReader } from "../../../lib/store/scores/reader.ts";
import { traceReader } from "../../../lib/store/traces/reader.ts";
import { traceScoreList } from "../../../lib/store/scores/of-trace.ts";
import { traceStore } from "../../../lib/store/traces/save.ts";
import { startDatabase, type TestDatabase } from "../../support/database/database.ts";
import { deleteTrace } from "../../support/traces/delete-trace.ts";
import { faultyDatabase } from "../../support/faults/faults.ts";
import { someTrace } from "../../support/traces/traces.ts";
import { once, pauseAt } from "../../support/database/watched-database.ts";
import { scoreKeys, someScore, someSessionScore, storedTrace } from "./score-fixture.ts";

let database: TestDatabase;
beforeAll(async () => {
  database = await startDatabase();
});
afterAll(() => database.close());

const isTransaction = ({ operation }: { readonly operation: string }): boolean => operation === "TransactWriteItems";

const listScores = async (project: string, trace: string) =>
  (await traceScoreList(database).page(project, { target_id: trace }, 50, 0)).items;

test("a score of a trace that is deleted concurrently is not stored", async () => {
  const project_id = randomUUID();
  const trace_id = await storedTrace(database, project_id);
  const transactionGate = pauseAt(isTransaction);
  const slow = faultyDatabase(database, transactionGate.decide);

  const storing = scoreCreation(slow).ofTrace(someScore({ project_id, trace_id }));
  await transactionGate.reached;
  await deleteTrace(database, project_id, trace_id);
  transactionGate.open();

  expect(await storing).toBeNull();
  expect(await scoreKeys(database, project_id)).toEqual([]);
});

test("a score is stored when the start time of its trace changes concurrently", async () => {
  const project_id = randomUUID();
  const trace = someTrace();
  await traceStore(database, 0).save(project_id, trace);
  const { trace_id } = trace;
  const transactionGate = pauseAt(isTransaction);
  const slow = faultyDatabase(database, transactionGate.decide);

  // Scores of one request share what they read of their trace.
  const storing = withRequestBudget(requestBudget(), () =>
    scoreCreation(slow).ofTrace(someScore({ project_id, trace_id })),
  );
  await transactionGate.reached;
  await traceStore(database, 0).save(project_id, { ...trace, started_at: "2026-09-01T00:00:00+00:00" });
  transactionGate.open();

  const storedScore = await storing;
  expect(storedScore).toMatchObject({ trace_id });
  expect(await listScores(project_id, trace_id)).toEqual([storedScore]);
});

test.each(["conflict", "throttle", "throttled-item", "timeout-before", "timeout-after", "reset"] as const)(
  "a score is stored once when its first attempt ends in %s",
  async (kind) => {
    const project_id = randomUUID();
    const trace_id = await storedTrace(database, project_id);
    const trace_started_at = (await traceReader(database).locate(project_id, trace_id))?.row.startedAt ?? "";
    const score = someScore({ project_id, trace_id, trace_version: 1, content_version: 1, trace_started_at });
    const faulty = faultyDatabase(database, once(isTransaction, kind));

    const first = await scoreCreation(faulty).ofTrace(score);
    const repeated = await scoreCreation(database).ofTrace({ ...score, created_at: "2026-11-21T11:00:00+00:00" });

    expect(first).toEqual(score);
    expect(repeated).toEqual(score);
    expect(await scoreKeys(database, project_id)).toHaveLength(2);
  },
);

test("a score that is sent again after its trace was deleted and sent again replaces the previous one", async () => {
  const project_id = randomUUID();
  const trace_id = await storedTrace(database, project_id);
  const score = someScore({ project_id, trace_id });
  await scoreCreation(database).ofTrace(score);
  await deleteTrace(database, project_id, trace_id);
  await storedTrace(database, project_id, { trace_id });

  const before = await listScores(project_id, trace_id);
  const newScore = await scoreCreation(database).ofTrace({ ...score, created_at: "2026-11-21T11:00:00+00:00" });

  expect(before).toEqual([]);
  expect(await listScores(project_id, trace_id)).toEqual([newScore]);
  expect(await scoreKeys(database, project_id)).toHaveLength(2);
});

test("a score of a trace that was sent again is stored by one of two requests, and the other one finds it", async () => {
  const project_id = randomUUID();
  const trace_id = await storedTrace(database, project_id);
  const score = someScore({ project_id, trace_id });
  await scoreCreation(database).ofTrace(score);
  await deleteTrace(database, project_id, trace_id);
  await storedTrace(database, project_id, { trace_id });
  let transactions = 0;
  const removalGate = pauseAt((call) => isTransaction(call) && (transactions += 1) === 2);

  const slow = scoreCreation(faultyDatabase(database, removalGate.decide)).ofTrace(score);
  await removalGate.reached;
  const fast = await scoreCreation(database).ofTrace({ ...score, created_at: "2026-11-21T12:00:00+00:00" });
  removalGate.open();
  expect(await slow).toEqual(fast && { ...fast, updated_at: fast.created_at });
  expect(await listScores(project_id, trace_id)).toEqual([fast]);
});

test("a score expires with its trace", async () => {
  const project_id = randomUUID();
  const arrival = Date.parse("2026-11-01T12:00:00Z");
  const trace = someTrace();
  await traceStore(database, 1, () => arrival).save(project_id, trace);
  const score = someScore({ project_id, trace_id: trace.trace_id });
  await scoreCreation(database, () => arrival).ofTrace(score);

  const expiresAt = (await traceReader(database, () => arrival).locate(project_id, trace.trace_id))?.expiresAt ?? 0;
  const readAt = async (seconds: number) => {
    const now = (): number => seconds * 1000;
    const { total } = await scoreList(database, traceScoreKind, now).page(project_id, {}, 50, 0);
    return [total, (await scoreReader(database, traceScoreKind, now).read(project_id, [score.id])).length];
  };

  expect(await readAt(expiresAt - 1)).toEqual([1, 1]);
  expect(await readAt(expiresAt)).toEqual([0, 0]);
});

test("a request that stores the trace of its score finds it, though it had looked for it before", async () => {
  const [project_id, trace_id] = [randomUUID(), randomUUID()];
  const score = someScore({ project_id, trace_id });
  const attempts = await withRequestBudget(requestBudget(), async () => {
    const early = await scoreCreation(database).ofTrace(score);
    await storedTrace(database, project_id, { trace_id });
    return [early, await scoreCreation(database).ofTrace(score)];
  });
  expect(attempts).toMatchObject([null, { id: score.id }]);
});

test.each([
  ["deleted", deleteTrace],
  [
    "moved to another session",
    (on: Database, project: string, trace_id: string) =>
      traceStore(on, 0).save(project, someTrace({ trace_id, session_id: "other" })),
  ],
])("a session's score needs a trace of the session that was not %s, whatever the index contains", async (_, leave) => {
  const project_id = randomUUID();
  const [first, second] = [
    await storedTrace(database, project_id, { session_id: "s" }),
    await storedTrace(database, project_id, { session_id: "s" }),
  ];
  const create = (on = database) => scoreCreation(on).ofSession(someSessionScore({ project_id, session_id: "s" }));
  const transactionGate = pauseAt(isTransaction);
  const slow = faultyDatabase(database, transactionGate.decide);

  await deleteTrace(database, project_id, first);
  const firstSessionScore = await create();
  const storing = create({ ...database, ...slow });
  await transactionGate.reached;
  await leave(database, project_id, second);
  transactionGate.open();

  expect(firstSessionScore).toMatchObject({ session_id: "s" });
  expect(await storing).toBeNull();
  expect(await create()).toBeNull();
  expect((await scoreList(database, sessionScoreKind).page(project_id, {}, 50, 0)).items).toEqual([firstSessionScore]);
});

test("a session is found on a retry when the index lags", async () => {
  const project_id = randomUUID();
  await storedTrace(database, project_id, { session_id: "s" });
  const lagging = faultyDatabase(
    database,
    once(({ operation }) => operation === "Query (index)", "stale-index"),
  );

  const storedScore = await scoreCreation(lagging).ofSession(someSessionScore({ project_id, session_id: "s" }));

  expect(storedScore).toMatchObject({ session_id: "s" });
});

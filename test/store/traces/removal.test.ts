import { randomUUID } from "node:crypto";
import { TransactWriteCommand } from "@aws-sdk/lib-dynamodb";
import { afterAll, beforeAll, expect, test } from "vitest";
import { traceDeleted } from "../../../lib/domain/traces/deleted-trace.ts";
import { traceFilter } from "../../../lib/domain/traces/filter.ts";
import type { Database } from "../../../lib/dynamo/database.ts";
import { scoreItems } from "../../../lib/store/scores/codec.ts";
import { pointerKey } from "../../../lib/store/traces/keys.ts";
import { traceList } from "../../../lib/store/traces/lists/list.ts";
import { traceReader } from "../../../lib/store/traces/reader.ts";
import { traceRemoval } from "../../../lib/store/traces/removal.ts";
import { traceStore } from "../../../lib/store/traces/save.ts";
import { startDatabase, type TestDatabase } from "../../support/database/database.ts";
import { faultyDatabase } from "../../support/faults/faults.ts";
import { itemsOf, purge, purgeAll } from "../../support/traces/purge.ts";
import { someScore } from "../../support/scores.ts";
import { someTrace } from "../../support/traces/traces.ts";
import { commitsRow, isOn, once, pauseAt, watchedDatabase } from "../../support/database/watched-database.ts";

let database: TestDatabase;
beforeAll(async () => {
  database = await startDatabase();
});
afterAll(() => database.close());

const spanOf = (span_id: string) => ({ span_id, name: span_id, started_at: "2026-10-01T10:00:01+00:00" });
/** A text of about 900 KB, too long for a single part. */
const longText = (): string => Array.from({ length: 25_000 }, () => randomUUID()).join("");

/** Stores a trace with a document of several pieces. @returns the trace, its id and its incarnation. */
const storeTrace = async (project: string, fields: Parameters<typeof someTrace>[0] = {}) => {
  const trace = someTrace({ spans: [spanOf("first")], ...fields });
  const store = traceStore(database, 0);
  await store.save(project, trace);
  await store.addSpans(project, trace.trace_id, [spanOf("second")]);
  const located = await traceReader(database).get(project, trace.trace_id);
  return { trace, id: trace.trace_id, incarnation: located?.row.incarnation ?? "" };
};

const addScore = async (project: string, trace: string, incarnation: string): Promise<void> => {
  const score = someScore({ project_id: project, trace_id: trace });
  const TransactItems = scoreItems(score, { incarnation, expiresAt: null }).map((Item) => ({
    Put: { TableName: "scores", Item },
  }));
  await database.client.send(new TransactWriteCommand({ TransactItems }));
};

const dayLater = (): number => Date.now() + 86_401_000;

const names = async (project: string, id: string): Promise<readonly string[] | undefined> =>
  (await traceReader(database).get(project, id))?.trace.spans.map(({ span_id }) => span_id);

test("a deleted trace disappears from every read at once", async () => {
  const [project, otherProject] = [randomUUID(), randomUUID()];
  const { id, trace } = await storeTrace(project);
  await traceStore(database, 0).save(otherProject, trace);

  const removed = await traceRemoval(database).remove(project, id);

  expect(removed).toBe(true);
  expect(await traceReader(database).get(project, id)).toBeNull();
  expect(await traceReader(database).locate(project, id)).toBeNull();
  await expect(traceStore(database, 0).addSpans(project, id, [spanOf("x")])).rejects.toMatchObject(traceDeleted());
  expect((await traceList(database).page(project, 10, 0)).rows).toEqual([]);
  const matching: string[] = [];
  await traceList(database).matching(project, traceFilter({}), ({ traceId }) => void matching.push(traceId));
  expect(matching).toEqual([]);
  expect((await traceReader(database).get(otherProject, id))?.trace.name).toBe(trace.name);
});

test("deleting a nonexistent trace returns false and writes nothing", async () => {
  const watched = watchedDatabase(database);

  expect(await traceRemoval(watched).remove(randomUUID(), randomUUID())).toBe(false);
  expect(watched.calls.filter(({ operation }) => operation !== "GetItem")).toEqual([]);
});

test("exactly one of several concurrent deletions of a trace returns true", async () => {
  const project = randomUUID();
  const { id } = await storeTrace(project);

  const removed = await Promise.all(Array.from({ length: 8 }, () => traceRemoval(database).remove(project, id)));

  expect(removed.filter(Boolean)).toHaveLength(1);
});

test("a deletion whose answer was lost and that the SDK retries returns true", async () => {
  const project = randomUUID();
  const { id } = await storeTrace(project);
  const faulty = faultyDatabase(database, once(commitsRow, "timeout-after"));

  expect(await traceRemoval(faulty).remove(project, id)).toBe(true);
});

test("a trace that moves during its deletion is deleted at its new place", async () => {
  const project = randomUUID();
  const { id, trace } = await storeTrace(project);
  const rowGate = pauseAt(isOn("PutItem", "rows"));
  const slow = faultyDatabase(database, rowGate.decide);
  const removing = traceRemoval(slow).remove(project, id);
  await rowGate.reached;
  await traceStore(database, 0).save(project, { ...trace, started_at: "2026-09-01T10:00:00+00:00" });
  rowGate.open();

  expect(await removing).toBe(true);
  expect(await traceReader(database).get(project, id)).toBeNull();
});

test("the purge of a deleted trace leaves only its pointer and the tombstone in its row's place, for 24 hours", async () => {
  const project = randomUUID();
  const [{ id, incarnation }, remainingTrace] = [
    await storeTrace(project, { input: longText() }),
    await storeTrace(project),
  ];
  await addScore(project, id, incarnation);
  await addScore(project, remainingTrace.id, remainingTrace.incarnation);
  await traceRemoval(database).remove(project, id);

  await purgeAll(database, project);

  const { rows, fences, bodies, deletedPointers, scores } = await itemsOf(database, project);
  expect([rows.length, fences.length, scores.length]).toEqual([1, 1, 2]);
  expect(bodies.every(({ i }) => i === remainingTrace.incarnation)).toBe(true);
  expect(deletedPointers).toMatchObject([{ ...pointerKey(project, id), i: incarnation, x: expect.any(Number) }]);
  expect(await names(project, remainingTrace.id)).toEqual(["first", "second"]);

  await purgeAll(database, project, dayLater);
  expect((await itemsOf(database, project)).deletedPointers).toEqual([]);
});

test("a trace that is sent again after its deletion is a new one, and the purge of its previous incarnation does not touch it", async () => {
  const project = randomUUID();
  const { id, trace, incarnation } = await storeTrace(project);
  await addScore(project, id, incarnation);
  await traceRemoval(database).remove(project, id);
  await traceStore(database, 0).save(project, { ...trace, output: null, spans: [spanOf("new")] });
  const newIncarnation = await traceReader(database).locate(project, id);
  await addScore(project, id, newIncarnation?.row.incarnation ?? "");

  // The new row has replaced the tombstone, whose stream record still triggers the purge.
  const removal = { kind: "trace", project, trace: id, incarnation } as const;
  await purge(database, removal);

  const located = await traceReader(database).get(project, id);
  expect(located?.trace).toMatchObject({ output: null, spans: [{ span_id: "new" }] });
  const { bodies, scores } = await itemsOf(database, project);
  expect([...bodies, ...scores].filter(({ i }) => i !== newIncarnation?.row.incarnation)).toEqual([]);
  expect(scores).toHaveLength(2);
});

test("a trace that is sent again after the purge of its previous incarnation is stored", async () => {
  const project = randomUUID();
  const { id, trace } = await storeTrace(project);
  await traceRemoval(database).remove(project, id);
  await purgeAll(database, project);

  await traceStore(database, 0).save(project, { ...trace, spans: [spanOf("new")] });

  expect(await names(project, id)).toEqual(["new"]);
  expect((await traceList(database).page(project, 10, 0)).rows.map(({ traceId }) => traceId)).toEqual([id]);
});

test.each<[string, (slow: Database, project: string, id: string) => Promise<unknown>]>([
  ["an append", (slow, project, id) => traceStore(slow, 0).addSpans(project, id, [spanOf("x")])],
  [
    "a patch",
    (slow, project, id) => traceStore(slow, 0).change(project, id, { kind: "trace-patch", update: { name: "x" } }),
  ],
])("%s that began before a deletion changes nothing after it", async (_, change) => {
  const project = randomUUID();
  const { id } = await storeTrace(project);
  const rowGate = pauseAt(commitsRow);
  const slow = faultyDatabase(database, rowGate.decide);
  const changing = change(slow, project, id);
  await rowGate.reached;
  await traceRemoval(database).remove(project, id);
  rowGate.open();

  await expect(changing).rejects.toMatchObject(traceDeleted());
  expect(await traceReader(database).get(project, id)).toBeNull();
  await purgeAll(database, project);
  expect((await itemsOf(database, project)).bodies).toEqual([]);
});

test("a purge that is killed at any request is completed by the next one", async () => {
  for (let killed = 0, finished = false; !finished; killed += 1) {
    const project = randomUUID();
    const { id, incarnation } = await storeTrace(project);
    await addScore(project, id, incarnation);
    await traceRemoval(database).remove(project, id);
    let requests = 0;
    const dying = faultyDatabase(database, () => {
      requests += 1;
      return requests === killed + 1 ? (killed % 2 === 0 ? "crash-after" : "crash-before") : null;
    });
    const removal = { kind: "trace", project, trace: id, incarnation } as const;
    await purge(dying, removal).catch(() => undefined);
    finished = !dying.crashed;

    await purge(database, removal);

    const { bodies, scores } = await itemsOf(database, project);
    expect([bodies, scores]).toEqual([[], []]);
  }
});

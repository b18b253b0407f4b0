import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { sessionDetail } from "../../../lib/store/sessions/detail.ts";
import { traceStore } from "../../../lib/store/traces/save.ts";
import { startDatabase, type TestDatabase } from "../../support/database/database.ts";
import { generateRow } from "../../support/traces/generate-row.ts";
import { seeded } from "../../support/random.ts";
import { writeRows } from "../../support/traces/rows.ts";
import { someTrace } from "../../support/traces/traces.ts";
import { watchedDatabase } from "../../support/database/watched-database.ts";

let database: TestDatabase;
beforeAll(async () => {
  database = await startDatabase();
});
afterAll(() => database.close());

/** Stores traces of a session that start one hour after the other. @returns their ids in that order. */
const storeSession = async (project: string, session: string, count: number): Promise<readonly string[]> => {
  const store = traceStore(database, 0);
  const traces = Array.from({ length: count }, (_, index) =>
    someTrace({ session_id: session, started_at: `2026-10-01T${String(index).padStart(2, "0")}:00:00+00:00` }),
  );
  for (const trace of traces) await store.save(project, trace);
  return traces.map(({ trace_id }) => trace_id);
};

/** Puts a trace into the index that has no document: as if it had been deleted a moment ago. */
const leaveInIndex = (project: string, session: string): Promise<void> =>
  writeRows(database, project, [{ ...generateRow(seeded(1), Date.UTC(2026, 9, 1, 2, 30)), sessionId: session }]);

const collected = async <Item>(items: AsyncIterable<Item>): Promise<readonly Item[]> => {
  const all: Item[] = [];
  for await (const item of items) all.push(item);
  return all;
};

const read = async (project: string, session: string, limit = 200, offset = 0) => {
  const found = await sessionDetail(database)(project, session, limit, offset);
  const page = await found?.read();
  return found === null || page === undefined || page === null
    ? null
    : { count: found.session.traceCount, traces: await collected(page.traces) };
};

test("the traces of a page come in their order, however many are read ahead", async () => {
  const project = randomUUID();
  const ids = await storeSession(project, "s", 9);

  const all = await read(project, "s");
  const some = await read(project, "s", 3, 4);

  expect(all?.traces.map(({ trace_id }) => trace_id)).toEqual(ids);
  expect(some?.traces.map(({ trace_id }) => trace_id)).toEqual(ids.slice(4, 7));
  expect([all?.count, some?.count]).toEqual([9, 9]);
  expect(await read(project, "s", 10, 9)).toEqual({ count: 9, traces: [] });
});

test("a trace that is gone while the index still has it is left out", async () => {
  const project = randomUUID();
  const ids = await storeSession(project, "s", 4);
  await leaveInIndex(project, "s");

  const found = await read(project, "s");

  expect(found?.traces.map(({ trace_id }) => trace_id)).toEqual(ids);
});

test("a session whose traces are all gone is none, although the index still has them", async () => {
  const project = randomUUID();
  await leaveInIndex(project, "s");

  expect(await read(project, "s")).toBeNull();
});

test("sessions of other projects, and those with a similar id, are none", async () => {
  const project = randomUUID();
  await storeSession(project, "s", 1);

  expect(await read(randomUUID(), "s")).toBeNull();
  expect(await read(project, "S")).toBeNull();
  expect(await read(project, "s ")).toBeNull();
});

test("a document that cannot be read ends the list with the cause", async () => {
  const project = randomUUID();
  await storeSession(project, "s", 6);
  let reads = 0;
  const watched = watchedDatabase(database, ({ operation, input }) => {
    if (operation === "Query" && input["TableName"] === "bodies") reads += 1;
    return reads > 4 ? "crash-before" : null;
  });
  const found = await sessionDetail(watched)(project, "s", 200, 0);

  const page = await found?.read();
  const reading = collected(page?.traces ?? (async function* () {})());

  await expect(reading).rejects.toThrow("died");
});

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

/** A text that is too long for a pointer. */
const longText = (): string => Array.from({ length: 1_000 }, () => randomUUID()).join("");

/** Stores traces of a session that start one hour after the other, every second one large. @returns their ids in that order. */
const storeSession = async (project: string, session: string, count: number): Promise<readonly string[]> => {
  const store = traceStore(database, 0);
  const traces = Array.from({ length: count }, (_, index) =>
    someTrace({
      session_id: session,
      started_at: `2026-10-01T${String(index).padStart(2, "0")}:00:00+00:00`,
      ...(index % 2 === 1 && { input: longText() }),
    }),
  );
  for (const trace of traces) await store.save(project, trace);
  return traces.map(({ trace_id }) => trace_id);
};

/** Adds an index entry of a trace without a document, like that of a trace that was deleted a moment ago. */
const leaveInIndex = (project: string, session: string): Promise<void> =>
  writeRows(database, project, [{ ...generateRow(seeded(1), Date.UTC(2026, 9, 1, 2, 30)), sessionId: session }]);

const collect = async <Item>(stream: AsyncIterable<Item>): Promise<readonly Item[]> => {
  const items: Item[] = [];
  for await (const item of stream) items.push(item);
  return items;
};

const readSession = async (project: string, sessionId: string, limit = 200, offset = 0) => {
  const session = await sessionDetail(database)(project, sessionId, limit, offset);
  const page = await session?.read();
  return session === null || page === undefined || page === null
    ? null
    : { count: session.session.traceCount, traces: await collect(page.traces) };
};

test("the traces of a page are returned in order, however many are read ahead", async () => {
  const project = randomUUID();
  const ids = await storeSession(project, "s", 9);

  const wholeSession = await readSession(project, "s");
  const part = await readSession(project, "s", 3, 4);

  expect(wholeSession?.traces.map(({ trace_id }) => trace_id)).toEqual(ids);
  expect(part?.traces.map(({ trace_id }) => trace_id)).toEqual(ids.slice(4, 7));
  expect([wholeSession?.count, part?.count]).toEqual([9, 9]);
  expect(await readSession(project, "s", 10, 9)).toEqual({ count: 9, traces: [] });
});

test("small traces of a page are read in two requests, large ones one by one", async () => {
  const project = randomUUID();
  await storeSession(project, "s", 10);
  const operations: string[] = [];
  const watched = watchedDatabase(database, ({ operation, input }) => {
    if (!operation.includes("answer")) operations.push(`${operation} ${JSON.stringify(input["TableName"] ?? "")}`);
    return null;
  });
  const session = await sessionDetail(watched)(project, "s", 200, 0);
  operations.length = 0;

  const page = await session?.read();
  expect(await collect(page?.traces ?? (async function* () {})())).toHaveLength(10);

  expect(
    Object.fromEntries(
      Map.groupBy(operations, (each) => each)
        .entries()
        .map(([name, all]) => [name, all.length]),
    ),
  ).toEqual({
    'BatchGetItem ""': 2,
    'Query "bodies"': 5,
    'GetItem "rows"': 5,
  });
});

test("a deleted trace that is still in the index is left out", async () => {
  const project = randomUUID();
  const ids = await storeSession(project, "s", 4);
  await leaveInIndex(project, "s");

  const session = await readSession(project, "s");

  expect(session?.traces.map(({ trace_id }) => trace_id)).toEqual(ids);
});

test("a session without existing traces is not found, although the index still has some", async () => {
  const project = randomUUID();
  await leaveInIndex(project, "s");

  expect(await readSession(project, "s")).toBeNull();
});

test("sessions of other projects and sessions with a similar id are not found", async () => {
  const project = randomUUID();
  await storeSession(project, "s", 1);

  expect(await readSession(randomUUID(), "s")).toBeNull();
  expect(await readSession(project, "S")).toBeNull();
  expect(await readSession(project, "s ")).toBeNull();
});

test("an unreadable document ends the list with its error", async () => {
  const project = randomUUID();
  await storeSession(project, "s", 12);
  let reads = 0;
  const watched = watchedDatabase(database, ({ operation, input }) => {
    if (operation === "Query" && input["TableName"] === "bodies") reads += 1;
    return reads > 4 ? "crash-before" : null;
  });
  const session = await sessionDetail(watched)(project, "s", 200, 0);

  const page = await session?.read();
  const reading = collect(page?.traces ?? (async function* () {})());

  await expect(reading).rejects.toThrow("died");
});

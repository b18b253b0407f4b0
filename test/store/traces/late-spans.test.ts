import { DeleteCommand, QueryCommand } from "@aws-sdk/lib-dynamodb";
import { randomBytes, randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { IdentifiedSpan, IdentifiedTrace } from "../../../lib/domain/traces/input.ts";
import { derivedFields } from "../../../lib/domain/traces/derivation/derived-fields.ts";
import { resourceKey, telemetryKeys } from "../../../lib/domain/traces/telemetry.ts";
import { mergeSpans } from "../../../lib/domain/traces/merge.ts";
import type { Database } from "../../../lib/dynamo/database.ts";
import { bodyPartition } from "../../../lib/store/traces/keys.ts";
import { traceDays } from "../../../lib/store/traces/days.ts";
import { traceReader } from "../../../lib/store/traces/reader.ts";
import { traceStore } from "../../../lib/store/traces/save.ts";
import { traceWriter } from "../../../lib/store/traces/writer.ts";
import { countCapacity } from "../../bench/capacity.ts";
import { rowFaults } from "../../faults/ingest/row-faults.ts";
import { startDatabase, type TestDatabase } from "../../support/database/database.ts";
import { isOn, pauseAt, watchedDatabase } from "../../support/database/watched-database.ts";
import { faultyDatabase } from "../../support/faults/faults.ts";
import { someTrace } from "../../support/traces/traces.ts";

let database: TestDatabase;
beforeAll(async () => {
  database = await startDatabase();
});
afterAll(() => database.close());

const at = "2026-10-01T10:00:01+00:00";
const spanOf = (span_id: string, fields: Partial<IdentifiedSpan> = {}): IdentifiedSpan => ({
  span_id,
  name: span_id,
  started_at: at,
  ...fields,
});

/** Random text, which compression does not shorten. */
const randomText = (bytes: number): string => randomBytes(bytes).toString("base64");

const storeTrace = async (spans: readonly IdentifiedSpan[], on: Database = database) => {
  const [project, trace] = [randomUUID(), someTrace({ spans })];
  await traceStore(on, 0).save(project, trace);
  return { project, id: trace.trace_id };
};

const readTrace = async (project: string, id: string) => {
  const located = await traceReader(database).get(project, id);
  if (located === null) throw new Error("The trace is gone.");
  return located;
};

const itemsOf = async (project: string, id: string) => {
  const { Items = [] } = await database.client.send(
    new QueryCommand({
      TableName: "bodies",
      KeyConditionExpression: "pk = :pk",
      ExpressionAttributeValues: { ":pk": bodyPartition(project, id) },
    }),
  );
  return Items;
};

const readsDocument = isOn("Query", "bodies");

/** Runs work on a watched database. @returns the number of complete document reads. */
const documentsReadBy = async (work: (on: Database) => Promise<unknown>): Promise<number> => {
  const watched = watchedDatabase(database);
  await work(watched);
  return watched.calls.filter(readsDocument).length;
};

test("a late span costs 3 write units and no document read, whatever the size of its trace", async () => {
  const ownDatabase = await startDatabase();
  try {
    const takeCapacity = countCapacity(ownDatabase);
    const store = traceStore(ownDatabase, 0);
    for (const [spans, bytes] of [
      [20, 100],
      [400, 5_000],
      [5_000, 10],
    ] as const) {
      const first = Array.from({ length: spans }, (_, index) => spanOf(`s${index}`, { input: randomText(bytes) }));
      const { project, id } = await storeTrace(first, ownDatabase);
      for (let index = 0; index < 30; index += 1) {
        takeCapacity();
        await store.addSpans(project, id, [spanOf(`late ${index}`, { input: "?" })]);
        const { read: reads, write } = takeCapacity();
        expect(write).toBeLessThanOrEqual(3);
        expect(reads).toBeLessThanOrEqual(6);
      }
      expect((await traceReader(ownDatabase).get(project, id))?.trace.spans).toHaveLength(spans + 30);
    }
  } finally {
    await ownDatabase.close();
  }
});

test("the pointer of a large trace has 12 KB, and a trace is located without a read of its document", async () => {
  const { project, id } = await storeTrace([spanOf("s", { input: randomText(900_000) })]);
  const takeCapacity = countCapacity(database);

  await traceReader(database).locate(project, id);

  expect(takeCapacity().read).toBeLessThanOrEqual(4);
  expect((await itemsOf(project, id)).length).toBeGreaterThan(3);
});

test("a span that the trace already has is merged with it, wherever its id is stored", async () => {
  // The span id is known from the pointer's first part, from a filter, or from the row.
  for (const [first, later] of [
    [1, 0],
    [300, 0],
    [1, 3],
    [300, 70],
  ] as const) {
    const spans = Array.from({ length: first }, (_, index) => spanOf(`s${index}`, { input: randomText(100) }));
    const { project, id } = await storeTrace(spans);
    const store = traceStore(database, 0);
    for (let index = 0; index < later; index += 1) await store.addSpans(project, id, [spanOf(`late ${index}`)]);
    const before = (await readTrace(project, id)).row.version;

    const existingSpan = later === 0 ? "s0" : "late 0";
    await store.addSpans(project, id, [spanOf(existingSpan)]);
    const unchanged = (await readTrace(project, id)).row.version;
    await store.addSpans(project, id, [spanOf(existingSpan, { output: "more" }), spanOf("new")]);

    const { trace } = await readTrace(project, id);
    expect(unchanged).toBe(before);
    expect(trace.spans).toHaveLength(first + later + 1);
    expect(trace.spans.find(({ span_id }) => span_id === existingSpan)?.output).toBe("more");
    expect(await rowFaults(database, project, id)).toEqual([]);
  }
});

test("a lost span id filter costs one document read, and is created again", async () => {
  const { project, id } = await storeTrace(
    Array.from({ length: 300 }, (_, index) => spanOf(`s${index}`, { input: randomText(99) })),
  );
  for (const { pk, sk } of await itemsOf(project, id)) {
    if (String(sk).startsWith("marks#")) {
      await database.client.send(new DeleteCommand({ TableName: "bodies", Key: { pk, sk } }));
    }
  }

  const reads = [
    await documentsReadBy((on) => traceStore(on, 0).addSpans(project, id, [spanOf("s0"), spanOf("late")])),
    await documentsReadBy((on) => traceStore(on, 0).addSpans(project, id, [spanOf("later")])),
  ];

  expect(reads).toEqual([1, 0]);
  expect((await readTrace(project, id)).trace.spans).toHaveLength(302);
  expect(await rowFaults(database, project, id)).toEqual([]);
});

test("the document is read once for a row without append state", async () => {
  const { project, id } = await storeTrace([spanOf("first")]);
  const { row } = await readTrace(project, id);
  const writer = traceWriter(database, traceDays(database), Date.now);
  await writer.replaceRow(project, row, { ...row, version: row.version + 1, appendState: null }, null);

  const reads = [
    await documentsReadBy((on) => traceStore(on, 0).addSpans(project, id, [spanOf("late")])),
    await documentsReadBy((on) => traceStore(on, 0).addSpans(project, id, [spanOf("later")])),
  ];

  expect(reads).toEqual([1, 0]);
  expect((await readTrace(project, id)).trace.spans.map(({ span_id }) => span_id)).toEqual(["first", "late", "later"]);
  expect(await rowFaults(database, project, id)).toEqual([]);
});

test("the document is read once for a row whose sums and filters are those of an earlier version", async () => {
  const usage = { token_usage: { prompt_tokens: 5 } };
  const { project, id } = await storeTrace([
    spanOf("outer", usage),
    spanOf("inner", { ...usage, parent_span_id: "outer" }),
  ]);
  const { row } = await readTrace(project, id);
  if (row.appendState === null) throw new Error("The row has an append state.");
  const earlierState = { ...row.appendState, spanIds: { ...row.appendState.spanIds, hasUsageKeys: false } };
  const earlierSums = {
    totalTokens: 10,
    contributions: row.contributions?.map((sum) => ({ ...sum, promptTokens: 10 })) ?? null,
  };
  const writer = traceWriter(database, traceDays(database), Date.now);
  await writer.replaceRow(
    project,
    row,
    { ...row, ...earlierSums, version: row.version + 1, appendState: earlierState },
    null,
  );

  const reads = [
    await documentsReadBy((on) => traceStore(on, 0).addSpans(project, id, [spanOf("late")])),
    await documentsReadBy((on) =>
      traceStore(on, 0).addSpans(project, id, [spanOf("later", { parent_span_id: "inner" })]),
    ),
  ];

  expect(reads).toEqual([1, 0]);
  expect((await readTrace(project, id)).row).toMatchObject({ spanCount: 4, totalTokens: 5 });
  expect(await rowFaults(database, project, id)).toEqual([]);
});

const telemetry = (trace_id: string, spans: readonly IdentifiedSpan[]): IdentifiedTrace => {
  const metadata = { "otel.trace_id": "t", [resourceKey("r")]: { "service.version": "7" } };
  const storedSpans = spans.map((span) => ({ ...span, metadata: { [telemetryKeys.resource]: "r", ...span.metadata } }));
  const derived = derivedFields(mergeSpans([], storedSpans), metadata);
  if (derived === null) throw new Error("There are no spans.");
  return { ...derived, trace_id, metadata, spans: storedSpans };
};

test("the row follows OpenTelemetry spans that arrive one by one, their root last, without a document read", async () => {
  const [project, id] = [randomUUID(), randomUUID()];
  const second = (count: number): string => `2026-10-01T10:00:${String(count).padStart(2, "0")}+00:00`;
  const send = (span: IdentifiedSpan) => (on: Database) =>
    traceStore(on, 0).save(project, telemetry(id, [span]), "telemetry");
  const step = (index: number): IdentifiedSpan =>
    spanOf(`step ${index}`, {
      kind: "LLM",
      parent_span_id: "root",
      started_at: second(10 + index),
      ended_at: second(11 + index),
      token_usage: { prompt_tokens: index },
      cost: { total: 0.1 },
      metadata: index === 2 ? { [telemetryKeys.session]: "chat" } : {},
    });
  let documents = await documentsReadBy(send(step(0)));
  for (let index = 1; index < 6; index += 1) documents += await documentsReadBy(send(step(index)));
  const running = (await readTrace(project, id)).row;
  documents += await documentsReadBy(
    send(spanOf("root", { kind: "AGENT", started_at: second(5), ended_at: second(40) })),
  );

  const { row, trace } = await readTrace(project, id);
  expect(documents).toBe(0);
  expect(running).toMatchObject({ name: "step 0", status: "RUNNING", sessionId: "chat", spanCount: 6 });
  expect(row).toMatchObject({
    name: "root",
    status: "COMPLETED",
    startedAt: second(5),
    endedAt: second(40),
    sessionId: "chat",
    release: "7",
    totalTokens: 15,
    totalCost: 0.6,
  });
  expect(trace).toMatchObject({ name: "root", session_id: "chat", status: "COMPLETED" });
  expect(await rowFaults(database, project, id)).toEqual([]);
});

test("concurrent writers of one trace all store their spans, without a document read", async () => {
  const { project, id } = await storeTrace([spanOf("first", { input: randomText(50_000) })]);
  const names = Array.from({ length: 64 }, (_, index) => `late ${index}`);

  const documents = await documentsReadBy(async (on) => {
    const remainingNames = names.values();
    const write = async (): Promise<void> => {
      for (const name of remainingNames) await traceStore(on, 0).addSpans(project, id, [spanOf(name)]);
    };
    await Promise.all(Array.from({ length: 8 }, write));
  });

  const { trace, row } = await readTrace(project, id);
  expect(documents).toBe(0);
  expect(new Set(trace.spans.map(({ span_id }) => span_id))).toEqual(new Set(["first", ...names]));
  expect(row.spanCount).toBe(65);
  expect(await rowFaults(database, project, id)).toEqual([]);
});

test("a span that was committed while another writer waited counts towards that writer's limit", async () => {
  const { project, id } = await storeTrace(Array.from({ length: 9_998 }, (_, index) => spanOf(`s${index}`)));
  const rowGate = pauseAt(isOn("PutItem", "rows"));
  const slow = faultyDatabase(database, rowGate.decide);
  const adding = traceStore(slow, 0).addSpans(project, id, [spanOf("a"), spanOf("b")]);
  await rowGate.reached;
  await traceStore(database, 0).addSpans(project, id, [spanOf("c")]);
  rowGate.open();

  await expect(adding).rejects.toMatchObject({ reason: { kind: "too-large" } });
  const { row } = await readTrace(project, id);
  expect([row.spanCount, row.pieces.length]).toEqual([9_999, 2]);
  expect((await itemsOf(project, id)).filter(({ sk }) => String(sk).startsWith("part#"))).toHaveLength(
    row.pieces.reduce((sum, { parts }) => sum + parts, 0) - 1,
  );
});

import { DeleteCommand, QueryCommand } from "@aws-sdk/lib-dynamodb";
import { randomBytes, randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { IdentifiedSpan, IdentifiedTrace } from "../../../lib/domain/traces/input.ts";
import { derivedFields, resourceKey, telemetryKeys } from "../../../lib/domain/traces/telemetry.ts";
import { mergeSpans } from "../../../lib/domain/traces/merge.ts";
import type { Database } from "../../../lib/store/database.ts";
import { bodyPartition } from "../../../lib/store/traces/keys.ts";
import { traceDays } from "../../../lib/store/traces/days.ts";
import { traceReader } from "../../../lib/store/traces/reader.ts";
import { traceStore } from "../../../lib/store/traces/save.ts";
import { traceWriter } from "../../../lib/store/traces/writer.ts";
import { countCapacity } from "../../bench/capacity.ts";
import { rowFaults } from "../../faults/ingest/row-faults.ts";
import { startDatabase, type TestDatabase } from "../../support/database/database.ts";
import { isOn, watchedDatabase } from "../../support/database/watched-database.ts";
import { faultyDatabase } from "../../support/faults/faults.ts";
import { gate } from "../../support/service/gate.ts";
import { someTrace } from "../../support/traces/traces.ts";

let database: TestDatabase;
beforeAll(async () => {
  database = await startDatabase();
});
afterAll(() => database.close());

const at = "2026-10-01T10:00:01+00:00";
const spanOf = (span_id: string, more: Partial<IdentifiedSpan> = {}): IdentifiedSpan => ({
  span_id,
  name: span_id,
  started_at: at,
  ...more,
});

/** Random, so that it cannot be compressed. */
const long = (bytes: number): string => randomBytes(bytes).toString("base64");

const stored = async (spans: readonly IdentifiedSpan[], on: Database = database) => {
  const [project, sent] = [randomUUID(), someTrace({ spans })];
  await traceStore(on, 0).save(project, sent);
  return { project, id: sent.trace_id };
};

const read = async (project: string, id: string) => {
  const found = await traceReader(database).get(project, id);
  if (found === null) throw new Error("The trace is gone.");
  return found;
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

/** Does something. @returns how often it read a whole document. */
const documentsReadBy = async (work: (on: Database) => Promise<unknown>): Promise<number> => {
  const watched = watchedDatabase(database);
  await work(watched);
  return watched.calls.filter(readsDocument).length;
};

test("a late span costs the same whatever the size of its trace: 3 write units and no look at the document", async () => {
  const own = await startDatabase();
  try {
    const spent = countCapacity(own);
    const store = traceStore(own, 0);
    for (const [spans, bytes] of [
      [20, 100],
      [400, 5_000],
      [5_000, 10],
    ] as const) {
      const first = Array.from({ length: spans }, (_, index) => spanOf(`s${index}`, { input: long(bytes) }));
      const { project, id } = await stored(first, own);
      for (let index = 0; index < 30; index += 1) {
        spent();
        await store.addSpans(project, id, [spanOf(`late ${index}`, { input: "?" })]);
        const { read: reads, write } = spent();
        expect(write).toBeLessThanOrEqual(3);
        expect(reads).toBeLessThanOrEqual(6);
      }
      expect((await traceReader(own).get(project, id))?.trace.spans).toHaveLength(spans + 30);
    }
  } finally {
    await own.close();
  }
});

test("the pointer of a large trace has 12 KB, and what it is told by is read without the document", async () => {
  const { project, id } = await stored([spanOf("s", { input: long(900_000) })]);
  const spent = countCapacity(database);

  await traceReader(database).locate(project, id);

  expect(spent().read).toBeLessThanOrEqual(4);
  expect((await itemsOf(project, id)).length).toBeGreaterThan(3);
});

test("a span that the trace has is merged with it, wherever it is known from", async () => {
  // In the pointer's part; in a filter; in the row.
  for (const [first, later] of [
    [1, 0],
    [300, 0],
    [1, 3],
    [300, 70],
  ] as const) {
    const spans = Array.from({ length: first }, (_, index) => spanOf(`s${index}`, { input: long(100) }));
    const { project, id } = await stored(spans);
    const store = traceStore(database, 0);
    for (let index = 0; index < later; index += 1) await store.addSpans(project, id, [spanOf(`late ${index}`)]);
    const before = (await read(project, id)).row.version;

    const known = later === 0 ? "s0" : "late 0";
    await store.addSpans(project, id, [spanOf(known)]);
    const unchanged = (await read(project, id)).row.version;
    await store.addSpans(project, id, [spanOf(known, { output: "more" }), spanOf("new")]);

    const { trace } = await read(project, id);
    expect(unchanged).toBe(before);
    expect(trace.spans).toHaveLength(first + later + 1);
    expect(trace.spans.find(({ span_id }) => span_id === known)?.output).toBe("more");
    expect(await rowFaults(database, project, id)).toEqual([]);
  }
});

test("a filter that is lost costs a look at the document, and is made anew", async () => {
  const { project, id } = await stored(
    Array.from({ length: 300 }, (_, index) => spanOf(`s${index}`, { input: long(99) })),
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
  expect((await read(project, id)).trace.spans).toHaveLength(302);
  expect(await rowFaults(database, project, id)).toEqual([]);
});

test("of a row that an earlier version has written the document is read once", async () => {
  const { project, id } = await stored([spanOf("first")]);
  const { row } = await read(project, id);
  const writer = traceWriter(database, traceDays(database), Date.now);
  await writer.replaceRow(project, row, { ...row, version: row.version + 1, late: null }, null);

  const reads = [
    await documentsReadBy((on) => traceStore(on, 0).addSpans(project, id, [spanOf("late")])),
    await documentsReadBy((on) => traceStore(on, 0).addSpans(project, id, [spanOf("later")])),
  ];

  expect(reads).toEqual([1, 0]);
  expect((await read(project, id)).trace.spans.map(({ span_id }) => span_id)).toEqual(["first", "late", "later"]);
  expect(await rowFaults(database, project, id)).toEqual([]);
});

const telemetry = (trace_id: string, spans: readonly IdentifiedSpan[]): IdentifiedTrace => {
  const metadata = { "otel.trace_id": "t", [resourceKey("r")]: { "service.version": "7" } };
  const own = spans.map((span) => ({ ...span, metadata: { [telemetryKeys.resource]: "r", ...span.metadata } }));
  const derived = derivedFields(mergeSpans([], own), metadata);
  if (derived === null) throw new Error("There are no spans.");
  return { ...derived, trace_id, metadata, spans: own };
};

test("spans of OpenTelemetry come one after the other, their root last, and the row follows them without the document", async () => {
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
  const running = (await read(project, id)).row;
  documents += await documentsReadBy(
    send(spanOf("root", { kind: "AGENT", started_at: second(5), ended_at: second(40) })),
  );

  const { row, trace } = await read(project, id);
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

test("eight writers of one trace all get their spans in, and none of them reads the document", async () => {
  const { project, id } = await stored([spanOf("first", { input: long(50_000) })]);
  const names = Array.from({ length: 64 }, (_, index) => `late ${index}`);

  const documents = await documentsReadBy(async (on) => {
    const left = names.values();
    const write = async (): Promise<void> => {
      for (const name of left) await traceStore(on, 0).addSpans(project, id, [spanOf(name)]);
    };
    await Promise.all(Array.from({ length: 8 }, write));
  });

  const { trace, row } = await read(project, id);
  expect(documents).toBe(0);
  expect(new Set(trace.spans.map(({ span_id }) => span_id))).toEqual(new Set(["first", ...names]));
  expect(row.spanCount).toBe(65);
  expect(await rowFaults(database, project, id)).toEqual([]);
});

test("a span that was committed while another writer waited counts in what that writer checks", async () => {
  const { project, id } = await stored(Array.from({ length: 9_998 }, (_, index) => spanOf(`s${index}`)));
  const held = gate();
  const slow = faultyDatabase(database, async (call) => {
    if (isOn("PutItem", "rows")(call)) await held.pass();
    return null;
  });
  const adding = traceStore(slow, 0).addSpans(project, id, [spanOf("a"), spanOf("b")]);
  await held.reached;
  await traceStore(database, 0).addSpans(project, id, [spanOf("c")]);
  held.open();

  await expect(adding).rejects.toMatchObject({ reason: { kind: "too-large" } });
  const { row } = await read(project, id);
  expect([row.spanCount, row.pieces.length]).toEqual([9_999, 2]);
  expect((await itemsOf(project, id)).filter(({ sk }) => String(sk).startsWith("part#"))).toHaveLength(
    row.pieces.reduce((sum, { parts }) => sum + parts, 0) - 1,
  );
});

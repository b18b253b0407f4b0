import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Json } from "../../../lib/domain/json.ts";
import type { TracePiece } from "../../../lib/domain/traces/piece.ts";
import type { Trace } from "../../../lib/domain/traces/trace.ts";
import type { Database } from "../../../lib/dynamo/database.ts";
import { traceReader } from "../../../lib/store/traces/reader.ts";
import { traceTags } from "../../../lib/store/traces/tags.ts";
import { traceStore } from "../../../lib/store/traces/save.ts";
import { startDatabase, type TestDatabase } from "../../support/database/database.ts";
import { faultyDatabase } from "../../support/faults/faults.ts";
import { itemsOf } from "../../support/traces/purge.ts";
import { someTrace } from "../../support/traces/traces.ts";
import { commitsRow, once, pauseAt, watchedDatabase } from "../../support/database/watched-database.ts";

type Change = Extract<TracePiece, { kind: "spans" | "trace-patch" | "span-patch" }>;

let database: TestDatabase;
beforeAll(async () => {
  database = await startDatabase();
});
afterAll(() => database.close());

const spanOf = (span_id: string) => ({ span_id, name: span_id, started_at: "2026-10-01T10:00:01+00:00" });
const append = (span: string): Change => ({ kind: "spans", spans: [spanOf(span)] });
const patch = (update: object): Change => ({ kind: "trace-patch", update });

/** Applies a change as the API does. @returns the new trace, or the store's reply if no trace was changed. */
const change = (on: Database, project: string, id: string, piece: Change): Promise<Trace | boolean | null> => {
  const store = traceStore(on, 0);
  return piece.kind === "spans" ? store.addSpans(project, id, piece.spans) : store.change(project, id, piece);
};

const storeTrace = async (fields: Parameters<typeof someTrace>[0] = {}) => {
  const [project, trace] = [randomUUID(), someTrace({ spans: [spanOf("first")], ...fields })];
  await traceStore(database, 0).save(project, trace);
  return { project, id: trace.trace_id };
};

const readTrace = async (project: string, id: string) => {
  const located = await traceReader(database).get(project, id);
  if (located === null) throw new Error("The trace is gone.");
  return located;
};

test.each<[string, Change, readonly string[]]>([
  ["an append", append("late"), ["bodies", "rows"]],
  ["a patch", patch({ output: null }), ["bodies", "rows"]],
  ["a patch of a span", { kind: "span-patch", spanId: "first", update: { status: "OK" } }, ["bodies", "rows"]],
  ["a patch of nothing but tags", patch({ tags: ["b"] }), ["rows"]],
  ["an empty patch", patch({}), []],
  ["a patch that says what is there", patch({ name: "refund-agent", metadata: {} }), []],
  ["a patch of a span that is not there", { kind: "span-patch", spanId: "x", update: { status: "OK" } }, []],
])("%s writes only its additions and the row, and its retry writes nothing", async (_, piece, tables) => {
  const { project, id } = await storeTrace();
  const watched = watchedDatabase(database);

  await change(watched, project, id, piece);
  const { row } = await readTrace(project, id);
  await change(watched, project, id, piece);

  const writes = watched.calls.filter(({ operation }) => operation !== "GetItem" && operation !== "Query");
  expect(writes.map(({ operation, input }) => `${operation} ${String(input["TableName"])}`)).toEqual(
    tables.map((table) => `PutItem ${table}`),
  );
  expect(row.version).toBe(tables.length === 0 ? 1 : 2);
  expect((await readTrace(project, id)).row).toEqual(row);
});

test("a change is readable at once, equal to the answer of its request", async () => {
  const { project, id } = await storeTrace({ metadata: { a: 1 } });

  const answers = [
    await change(database, project, id, append("late")),
    await change(database, project, id, patch({ input: null, metadata: { b: 2 }, tags: ["t"] })),
    await change(database, project, id, { kind: "span-patch", spanId: "late", update: { output: 1 } }),
    await change(database, project, id, patch({ tags: [] })),
  ];

  expect(answers.at(-1)).toEqual((await readTrace(project, id)).trace);
  expect(answers.at(-1)).toMatchObject({
    input: null,
    metadata: { a: 1, b: 2 },
    tags: [],
    spans: [{}, { output: 1 }],
  });
});

test("a change that conflicts with another one is applied on top of it", async () => {
  const { project, id } = await storeTrace();
  const rowGate = pauseAt(commitsRow);
  const slow = faultyDatabase(database, rowGate.decide);
  const changing = change(slow, project, id, patch({ metadata: { slow: true } }));
  await rowGate.reached;
  await change(database, project, id, append("fast"));
  rowGate.open();
  await changing;

  const { trace, row } = await readTrace(project, id);
  expect(trace).toMatchObject({ metadata: { slow: true }, spans: [{ span_id: "first" }, { span_id: "fast" }] });
  expect(row.version).toBe(3);
  expect((await itemsOf(database, project)).bodies).toHaveLength(row.pieces.length);
});

test("a change whose answer was lost and that the SDK retries is applied once", async () => {
  const { project, id } = await storeTrace();
  const faulty = faultyDatabase(database, once(commitsRow, "timeout-after"));

  await change(faulty, project, id, append("late"));

  const { trace, row } = await readTrace(project, id);
  expect(trace.spans.map(({ span_id }) => span_id)).toEqual(["first", "late"]);
  expect(row.version).toBe(2);
});

test("a change whose answer was lost is not applied again over a later change", async () => {
  const { project, id } = await storeTrace();
  const [lost, retried] = [once(commitsRow, "timeout-after"), pauseAt(commitsRow)];
  const faulty = faultyDatabase(database, async (call) => (await lost(call)) ?? (await retried.decide(call)));
  const changing = change(faulty, project, id, patch({ output: "first" }));
  await retried.reached;
  await change(database, project, id, patch({ output: "later" }));
  retried.open();
  await changing;

  const { trace, row } = await readTrace(project, id);
  expect(trace.output).toBe("later");
  expect(row.version).toBe(3);
});

test("a document of many pieces is merged without a change of its content", async () => {
  const { project, id } = await storeTrace({ tags: ["kept"] });

  for (let index = 0; index < 40; index += 1) {
    await change(database, project, id, append(`span ${index}`));
    await change(database, project, id, patch({ input: index % 2 === 0 ? null : index, metadata: { [index]: true } }));
  }

  const { trace, row } = await readTrace(project, id);
  expect(trace).toMatchObject({ input: 39, tags: ["kept"] });
  expect(trace.spans.map(({ span_id }) => span_id).slice(1)).toEqual(
    Array.from({ length: 40 }, (_, index) => `span ${index}`),
  );
  expect(Object.keys(trace.metadata)).toHaveLength(40);
  expect(row.pieces.length).toBeLessThanOrEqual(49);
  const parts = (await itemsOf(database, project)).bodies.filter(({ sk }) => !String(sk).startsWith("marks#"));
  expect(parts).toHaveLength(row.pieces.length);
});

test("a change of a process that dies at any request is applied completely or not at all", async () => {
  for (let killed = 1, finished = false; !finished; killed += 1) {
    const { project, id } = await storeTrace();
    let requests = 0;
    const dying = faultyDatabase(database, () => {
      requests += 1;
      return requests === killed ? (killed % 2 === 0 ? "crash-after" : "crash-before") : null;
    });
    await traceStore(dying, 0)
      .save(project, { ...someTrace(), trace_id: id, spans: [spanOf("late")], tags: ["t"] })
      .catch(() => undefined);
    finished = !dying.crashed;

    const { trace } = await readTrace(project, id);
    expect([trace.tags.length, trace.spans.length]).toEqual(trace.spans.length === 2 ? [1, 2] : [0, 1]);
    expect(trace.spans.length === 2 || !finished).toBe(true);
  }
});

test("a trace can have 10,000 spans, and no more", async () => {
  const many = (from: number, count: number) => Array.from({ length: count }, (_, index) => spanOf(`s${from + index}`));
  const { project, id } = await storeTrace({ spans: many(0, 9_990) });
  const store = traceStore(database, 0);

  await store.addSpans(project, id, many(9_985, 15));

  await expect(change(database, project, id, append("one more"))).rejects.toMatchObject({
    reason: { kind: "too-large", detail: "A trace has at most 10000 spans." },
  });
  expect((await readTrace(project, id)).trace.spans).toHaveLength(10_000);
});

test.each<readonly [string, () => Json]>([
  ["bytes", () => "x".repeat(12_000_000)],
  ["values, each of 8 bytes or more", () => Array<number>(1_500_000).fill(0)],
])("a trace can have 32 MiB, and no more: %s", async (_kind, input) => {
  const { project, id } = await storeTrace();
  const large = (span_id: string): Change => ({ kind: "spans", spans: [{ ...spanOf(span_id), input: input() }] });
  await change(database, project, id, large("a"));
  await change(database, project, id, large("b"));

  await expect(change(database, project, id, large("c"))).rejects.toMatchObject({ reason: { kind: "too-large" } });
  await change(database, project, id, append("small"));

  expect((await readTrace(project, id)).trace.spans.map(({ span_id }) => span_id)).toEqual([
    "first",
    "a",
    "b",
    "small",
  ]);
});

test("a change of tags does not read the document, and its retry writes nothing", async () => {
  const { project, id } = await storeTrace({ tags: ["a"] });
  const watched = watchedDatabase(database);
  const tags = traceTags(watched);
  const change = { add: ["b"], remove: ["a"] };

  for (let delivery = 0; delivery < 2; delivery += 1) {
    const located = await tags.check(project, id, change);
    if (located !== null) await tags.apply(project, located, change);
  }

  const { trace, row } = await readTrace(project, id);
  expect([trace.tags, row.version]).toEqual([["b"], 2]);
  expect(watched.calls.filter(({ operation }) => operation === "Query")).toEqual([]);
  expect(watched.calls.filter(({ operation }) => operation === "PutItem")).toHaveLength(1);
});

import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { TracePiece } from "../../../lib/domain/traces/piece.ts";
import type { Trace } from "../../../lib/domain/traces/trace.ts";
import type { Database } from "../../../lib/store/database.ts";
import { traceReader } from "../../../lib/store/traces/reader.ts";
import { traceTags } from "../../../lib/store/traces/tags.ts";
import { traceStore } from "../../../lib/store/traces/save.ts";
import { startDatabase, type TestDatabase } from "../../support/database/database.ts";
import { faultyDatabase } from "../../support/faults/faults.ts";
import { gate } from "../../support/service/gate.ts";
import { itemsOf } from "../../support/traces/purge.ts";
import { someTrace } from "../../support/traces/traces.ts";
import { commitsRow, once, watchedDatabase } from "../../support/database/watched-database.ts";

type Change = Extract<TracePiece, { kind: "spans" | "trace-patch" | "span-patch" }>;

let database: TestDatabase;
beforeAll(async () => {
  database = await startDatabase();
});
afterAll(() => database.close());

const spanOf = (span_id: string) => ({ span_id, name: span_id, started_at: "2026-10-01T10:00:01+00:00" });
const append = (span: string): Change => ({ kind: "spans", spans: [spanOf(span)] });
const patch = (update: object): Change => ({ kind: "trace-patch", update });

/** Does what a client asks. @returns the trace as it was answered, where it is. */
const change = (on: Database, project: string, id: string, piece: Change): Promise<Trace | boolean | null> => {
  const store = traceStore(on, 0);
  return piece.kind === "spans" ? store.addSpans(project, id, piece.spans) : store.change(project, id, piece);
};

const stored = async (given: Parameters<typeof someTrace>[0] = {}) => {
  const [project, sent] = [randomUUID(), someTrace({ spans: [spanOf("first")], ...given })];
  await traceStore(database, 0).save(project, sent);
  return { project, id: sent.trace_id };
};

const read = async (project: string, id: string) => {
  const found = await traceReader(database).get(project, id);
  if (found === null) throw new Error("The trace is gone.");
  return found;
};

test.each<[string, Change, readonly string[]]>([
  ["an append", append("late"), ["bodies", "rows"]],
  ["a patch", patch({ output: null }), ["bodies", "rows"]],
  ["a patch of a span", { kind: "span-patch", spanId: "first", update: { status: "OK" } }, ["bodies", "rows"]],
  ["a patch of nothing but tags", patch({ tags: ["b"] }), ["rows"]],
  ["an empty patch", patch({}), []],
  ["a patch that says what is there", patch({ name: "refund-agent", metadata: {} }), []],
  ["a patch of a span that is not there", { kind: "span-patch", spanId: "x", update: { status: "OK" } }, []],
])("%s writes what it adds and the row, a second delivery nothing", async (_, piece, tables) => {
  const { project, id } = await stored();
  const watched = watchedDatabase(database);

  await change(watched, project, id, piece);
  const { row } = await read(project, id);
  await change(watched, project, id, piece);

  const writes = watched.calls.filter(({ operation }) => operation !== "GetItem" && operation !== "Query");
  expect(writes.map(({ operation, input }) => `${operation} ${String(input["TableName"])}`)).toEqual(
    tables.map((table) => `PutItem ${table}`),
  );
  expect(row.version).toBe(tables.length === 0 ? 1 : 2);
  expect((await read(project, id)).row).toEqual(row);
});

test("a change is there for the next reader as it was answered", async () => {
  const { project, id } = await stored({ metadata: { a: 1 } });

  const answered = [
    await change(database, project, id, append("late")),
    await change(database, project, id, patch({ input: null, metadata: { b: 2 }, tags: ["t"] })),
    await change(database, project, id, { kind: "span-patch", spanId: "late", update: { output: 1 } }),
    await change(database, project, id, patch({ tags: [] })),
  ];

  expect(answered.at(-1)).toEqual((await read(project, id)).trace);
  expect(answered.at(-1)).toMatchObject({
    input: null,
    metadata: { a: 1, b: 2 },
    tags: [],
    spans: [{}, { output: 1 }],
  });
});

test("a change that meets another is made on top of it", async () => {
  const { project, id } = await stored();
  const held = gate();
  const slow = faultyDatabase(database, async (call) => {
    if (commitsRow(call)) await held.pass();
    return null;
  });
  const changing = change(slow, project, id, patch({ metadata: { slow: true } }));
  await held.reached;
  await change(database, project, id, append("fast"));
  held.open();
  await changing;

  const { trace, row } = await read(project, id);
  expect(trace).toMatchObject({ metadata: { slow: true }, spans: [{ span_id: "first" }, { span_id: "fast" }] });
  expect(row.version).toBe(3);
  expect((await itemsOf(database, project)).bodies).toHaveLength(row.pieces.length);
});

test("a change whose answer was lost and that the SDK repeats is made once", async () => {
  const { project, id } = await stored();
  const faulty = faultyDatabase(database, once(commitsRow, "timeout-after"));

  await change(faulty, project, id, append("late"));

  const { trace, row } = await read(project, id);
  expect(trace.spans.map(({ span_id }) => span_id)).toEqual(["first", "late"]);
  expect(row.version).toBe(2);
});

test("changes that come in many pieces are put together and stay what they were", async () => {
  const { project, id } = await stored({ tags: ["kept"] });

  for (let index = 0; index < 40; index += 1) {
    await change(database, project, id, append(`span ${index}`));
    await change(database, project, id, patch({ input: index % 2 === 0 ? null : index, metadata: { [index]: true } }));
  }

  const { trace, row } = await read(project, id);
  expect(trace).toMatchObject({ input: 39, tags: ["kept"] });
  expect(trace.spans.map(({ span_id }) => span_id).slice(1)).toEqual(
    Array.from({ length: 40 }, (_, index) => `span ${index}`),
  );
  expect(Object.keys(trace.metadata)).toHaveLength(40);
  expect(row.pieces.length).toBeLessThanOrEqual(49);
  const parts = (await itemsOf(database, project)).bodies.filter(({ sk }) => !String(sk).startsWith("marks#"));
  expect(parts).toHaveLength(row.pieces.length);
});

test("a change of a process that dies anywhere is made whole or not at all", async () => {
  for (let killed = 1, finished = false; !finished; killed += 1) {
    const { project, id } = await stored();
    let requests = 0;
    const dying = faultyDatabase(database, () => {
      requests += 1;
      return requests === killed ? (killed % 2 === 0 ? "crash-after" : "crash-before") : null;
    });
    await traceStore(dying, 0)
      .save(project, { ...someTrace(), trace_id: id, spans: [spanOf("late")], tags: ["t"] })
      .catch(() => undefined);
    finished = !dying.crashed;

    const { trace } = await read(project, id);
    expect([trace.tags.length, trace.spans.length]).toEqual(trace.spans.length === 2 ? [1, 2] : [0, 1]);
    expect(trace.spans.length === 2 || !finished).toBe(true);
  }
});

test("a trace may grow to 10,000 spans and not beyond", async () => {
  const many = (from: number, count: number) => Array.from({ length: count }, (_, index) => spanOf(`s${from + index}`));
  const { project, id } = await stored({ spans: many(0, 9_990) });
  const store = traceStore(database, 0);

  await store.addSpans(project, id, many(9_985, 15));

  await expect(change(database, project, id, append("one more"))).rejects.toMatchObject({
    reason: { kind: "too-large", detail: "A trace has at most 10000 spans." },
  });
  expect((await read(project, id)).trace.spans).toHaveLength(10_000);
});

test("a trace may grow to 32 MiB and not beyond", async () => {
  const { project, id } = await stored();
  const large = (span_id: string): Change => ({
    kind: "spans",
    spans: [{ ...spanOf(span_id), input: "x".repeat(12_000_000) }],
  });
  await change(database, project, id, large("a"));
  await change(database, project, id, large("b"));

  await expect(change(database, project, id, large("c"))).rejects.toMatchObject({ reason: { kind: "too-large" } });
  await change(database, project, id, append("small"));

  expect((await read(project, id)).trace.spans.map(({ span_id }) => span_id)).toEqual(["first", "a", "b", "small"]);
});

test("tags are changed without a look at the document, and not twice", async () => {
  const { project, id } = await stored({ tags: ["a"] });
  const watched = watchedDatabase(database);
  const tags = traceTags(watched);
  const change = { add: ["b"], remove: ["a"] };

  for (let delivery = 0; delivery < 2; delivery += 1) {
    const found = await tags.check(project, id, change);
    if (found !== null) await tags.apply(project, found, change);
  }

  const { trace, row } = await read(project, id);
  expect([trace.tags, row.version]).toEqual([["b"], 2]);
  expect(watched.calls.filter(({ operation }) => operation === "Query")).toEqual([]);
  expect(watched.calls.filter(({ operation }) => operation === "PutItem")).toHaveLength(1);
});

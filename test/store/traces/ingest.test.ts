import { randomBytes, randomUUID } from "node:crypto";
import { parse } from "valibot";
import { afterAll, beforeAll, expect, test } from "vitest";
import { exportTraces } from "../../../lib/contract/otlp/export-traces.ts";
import { noMasking } from "../../../lib/domain/masking/rules.ts";
import { ingest, ingestTraces } from "../../../lib/handlers/traces/ingest.ts";
import { spanOfTrace } from "../../../lib/langfuse/event-span.ts";
import { sentEvent } from "../../../lib/langfuse/sent-events.ts";
import { exportedSpans } from "../../../lib/otlp/traces/exported-spans.ts";
import { traceUuid } from "../../../lib/otlp/wire/span-ids.ts";
import { tracesOf, type PartialTrace } from "../../../lib/otlp/traces/traces-of.ts";
import type { Database } from "../../../lib/dynamo/database.ts";
import { traceReader } from "../../../lib/store/traces/reader.ts";
import { maskedTraces } from "../../../lib/store/traces/masked.ts";
import { traceStore } from "../../../lib/store/traces/save.ts";
import { countCapacity } from "../../bench/capacity.ts";
import { startDatabase, type TestDatabase } from "../../support/database/database.ts";
import { faultyDatabase } from "../../support/faults/faults.ts";
import { jsonExport, jsonSpan } from "../../support/otlp/otlp.ts";

let database: TestDatabase;
beforeAll(async () => {
  database = await startDatabase();
});
afterAll(() => database.close());

const hex = (bytes: number): string => randomBytes(bytes).toString("hex");

const sentTraces = (count: number, spansOfEach = 1): readonly PartialTrace[] => {
  const ids = Array.from({ length: count }, () => hex(16));
  const spans = ids.flatMap((id) => Array.from({ length: spansOfEach }, () => jsonSpan(id, hex(8))));
  return tracesOf(exportedSpans(parse(exportTraces.body, jsonExport(spans))).spans).traces;
};

const newProject = () => ({ id: randomUUID(), metadata_keys: [], masking: noMasking });

const countStored = async (project: string, traces: readonly PartialTrace[]): Promise<number> => {
  const storedTraces = await Promise.all(traces.map(({ trace }) => traceReader(database).get(project, trace.trace_id)));
  return storedTraces.filter((trace) => trace !== null).length;
};

const isRowWrite = (operation: string, input: Readonly<Record<string, unknown>>): boolean =>
  operation === "PutItem" && input["TableName"] === "rows";

const hours = { begin: 3_600_000, repeat: 3_600_000, answer: 3_600_000 };

test("a batch that does not fit its time is answered 429, and its retries progress until all traces are stored", async () => {
  const [project, traces] = [newProject(), sentTraces(100)];
  let at = 0;
  const slow = faultyDatabase(database, ({ operation, input }) => {
    if (isRowWrite(operation, input)) at += 10;
    return null;
  });
  // Checking a trace takes time as well.
  const now = (): number => (at += 2);
  const takeAll = () =>
    ingest(maskedTraces(traceStore(slow, 0)), project, traces, { begin: 500, repeat: 500, answer: 3_600_000 }, now);

  const counts: number[] = [];
  const [outcomes, refusals]: [unknown[], unknown[]] = [[], []];
  while (counts.length < 10 && outcomes.at(-1) === undefined) {
    try {
      outcomes.push(await takeAll());
    } catch (error) {
      refusals.push(error);
    }
    counts.push(await countStored(project.id, traces));
  }

  expect(outcomes).toEqual([[]]);
  // The request that stored the last traces may have run out of time before it could confirm them.
  expect(refusals.length).toBeGreaterThanOrEqual(2);
  expect(refusals).toMatchObject(refusals.map(() => ({ reason: { kind: "rate-limited", retryAfter: null } })));
  expect(counts).toHaveLength(refusals.length + 1);
  const open = counts.filter((storedCount) => storedCount < 100);
  expect(open).toEqual([...new Set(open)].toSorted((a, b) => a - b));
  expect(counts).toEqual([...open, ...counts.slice(open.length).map(() => 100)]);
  expect(open.length).toBeGreaterThanOrEqual(1);
  expect(counts.at(-1)).toBe(100);
});

/** Spans of one trace below a root, which is not among them. */
const childrenOf = (traceId: string, root: string, count: number) =>
  Array.from({ length: count }, () => jsonSpan(traceId, hex(8), { parentSpanId: root }));

test("a root is stored in a trace that is full, alone among the spans of its request, and once", async () => {
  const [project, traceId, root] = [newProject(), hex(16), hex(8)];
  const store = maskedTraces(traceStore(database, 0));
  const send = (spans: readonly unknown[]) =>
    ingest(store, project, tracesOf(exportedSpans(parse(exportTraces.body, jsonExport(spans))).spans).traces, hours);
  const rootSpan = jsonSpan(traceId, root, { name: "root" }, { "gen_ai.input.messages": "hi" });
  const rootRequest = [...childrenOf(traceId, root, 9), rootSpan];
  await send(childrenOf(traceId, root, 10_000));

  const refusals = [await send(rootRequest), await send(rootRequest)];
  const afterwards = await send([jsonSpan(traceId, hex(8), { parentSpanId: root })]);
  const patch = { kind: "trace-patch", update: { output: "bye" } } as const;
  const patched = await store.change(project, traceUuid(traceId), patch);
  const refusedRoot = await send([jsonSpan(traceId, hex(8))]);

  expect([...refusals, afterwards, refusedRoot].map(({ length }) => length)).toEqual([9, 9, 1, 1]);
  expect(patched).toMatchObject({ name: "root", status: "COMPLETED", input: "hi", output: "bye" });
  expect(patched?.spans).toHaveLength(10_001);
});

test("of a trace that is full a request stores what it sets for the trace, without further spans", async () => {
  const [project, traceId, root] = [newProject(), hex(16), hex(8)];
  const store = maskedTraces(traceStore(database, 0));
  const spans = [...childrenOf(traceId, root, 9_999), jsonSpan(traceId, root, { name: "root" })];
  await ingest(
    store,
    project,
    tracesOf(exportedSpans(parse(exportTraces.body, jsonExport(spans))).spans).traces,
    hours,
  );
  const sent = { id: "e", type: "trace-create", timestamp: "2026-11-21T09:00:00Z", body: { name: "set" } };
  const event = sentEvent(sent, () => undefined);
  if (event.kind !== "trace") throw new Error("The event is one of a trace.");
  const later = exportedSpans(parse(exportTraces.body, jsonExport(childrenOf(traceId, root, 3)))).spans;
  const { traces } = tracesOf([spanOfTrace(event, traceUuid(traceId)), ...later]);

  const refusals = await ingestTraces(store, project, traces, hours);
  const stored = await traceReader(database).get(project.id, traceUuid(traceId));

  expect(refusals).toMatchObject([{ spanCount: 3, keepsFields: true, storedSpan: null }]);
  expect(stored?.trace.name).toBe("set");
  expect(stored?.trace.spans).toHaveLength(10_000);
});

test("of a request with too many spans of a trace the root and the earliest are stored", async () => {
  const [project, traceId, root] = [newProject(), hex(16), hex(8)];
  const spans = [...childrenOf(traceId, root, 10_004), jsonSpan(traceId, root, { name: "root" })];
  const { traces, rejections } = tracesOf(exportedSpans(parse(exportTraces.body, jsonExport(spans))).spans);

  expect(await ingest(maskedTraces(traceStore(database, 0)), project, traces, hours)).toEqual([]);
  const stored = await traceReader(database).get(project.id, traceUuid(traceId));

  expect(rejections).toEqual(Array(5).fill("A trace has at most 10000 spans."));
  expect(stored?.trace).toMatchObject({ name: "root", status: "COMPLETED" });
  expect(stored?.trace.spans).toHaveLength(10_000);
});

test("throttled traces are stored after the others", async () => {
  const [project, traces] = [newProject(), sentTraces(60)];
  let refusals = 0;
  const busyDb = faultyDatabase(
    database,
    ({ operation, input }) => {
      if (!isRowWrite(operation, input) || refusals >= 90) return null;
      refusals += 1;
      return "throttle";
    },
    1,
  );

  expect(await ingest(maskedTraces(traceStore(busyDb, 0)), project, traces, hours)).toEqual([]);
  expect([refusals, await countStored(project.id, traces)]).toEqual([90, 60]);
});

test("a batch with a permanently throttled trace is answered 429, not with an internal error", async () => {
  const [project, traces] = [newProject(), sentTraces(5)];
  let at = 0;
  const throttledDb = faultyDatabase(
    database,
    ({ operation, input }) => {
      at += 1;
      return isRowWrite(operation, input) ? "throttle" : null;
    },
    1,
  );

  const taking = ingest(
    maskedTraces(traceStore(throttledDb, 0)),
    project,
    traces,
    { begin: 50, repeat: 50, answer: 3_600_000 },
    () => at,
  );

  await expect(taking).rejects.toMatchObject({ reason: { kind: "rate-limited", retryAfter: null } });
});

test("a request whose write never ends is answered 503", async () => {
  const [project, traces] = [newProject(), sentTraces(5)];
  const { promise, resolve } = Promise.withResolvers<null>();
  const stuckDb = faultyDatabase(database, ({ operation, input }) => (isRowWrite(operation, input) ? promise : null));

  const taking = ingest(maskedTraces(traceStore(stuckDb, 0)), project, traces, {
    begin: 1_000,
    repeat: 1_000,
    answer: 1,
  });

  await expect(taking).rejects.toMatchObject({ reason: { kind: "unavailable" } });
  resolve(null);
  await stuckDb.quiet();
});

test("a repeated batch reads two items per trace, hundreds in one request, and writes nothing", async () => {
  const meteredDb: Database = faultyDatabase(database, () => null);
  const [project, traces, takeCapacity] = [newProject(), sentTraces(200, 3), countCapacity(meteredDb)];
  await ingest(maskedTraces(traceStore(meteredDb, 0)), project, traces, hours);
  const first = takeCapacity();

  expect(await ingest(maskedTraces(traceStore(meteredDb, 0)), project, traces, hours)).toEqual([]);
  const repeatedCost = takeCapacity();

  expect(first.calls).toBeLessThan(450);
  expect(repeatedCost.write).toBe(0);
  expect(repeatedCost.calls).toBeLessThanOrEqual(5);
});

test("a trace that is sent twice with different content is stored with the later content", async () => {
  const [project, traceId, spanId] = [newProject(), hex(16), hex(8)];
  const send = (name: string) => {
    const { spans } = exportedSpans(parse(exportTraces.body, jsonExport([jsonSpan(traceId, spanId, { name })])));
    return ingest(maskedTraces(traceStore(database, 0)), project, tracesOf(spans).traces, hours);
  };

  await send("first");
  await send("first");
  await send("second");
  const located = await traceReader(database).get(project.id, traceUuid(traceId));

  expect(located?.trace).toMatchObject({ name: "second", spans: [{ name: "second" }] });
});

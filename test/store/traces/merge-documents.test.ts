import { QueryCommand } from "@aws-sdk/lib-dynamodb";
import { randomBytes, randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { storageScan } from "../../../lib/deletion/scan-storage.ts";
import { resourceKey, telemetryKeys } from "../../../lib/domain/traces/telemetry.ts";
import { cursorStore } from "../../../lib/dynamo/cursor.ts";
import type { Database } from "../../../lib/dynamo/database.ts";
import { pendingMarkers } from "../../../lib/store/hours/pending-markers.ts";
import { documentMerging } from "../../../lib/store/garbage/document-merging.ts";
import { traceDays } from "../../../lib/store/traces/days.ts";
import { bodyPartition } from "../../../lib/store/traces/keys.ts";
import { traceMerging, unlimitedRate, type WriteRate } from "../../../lib/store/traces/pieces/merging.ts";
import { traceReader } from "../../../lib/store/traces/reader.ts";
import { traceStore } from "../../../lib/store/traces/save.ts";
import { traceWriter } from "../../../lib/store/traces/writer.ts";
import { documentCursor, sweepDocuments, mergePromptly } from "../../../lib/maintenance/merge-documents.ts";
import { rowFaults } from "../../faults/ingest/row-faults.ts";
import { startDatabase, type TestDatabase } from "../../support/database/database.ts";
import { commitsRow, isOn, pauseAt, watchedDatabase } from "../../support/database/watched-database.ts";
import { faultyDatabase } from "../../support/faults/faults.ts";
import { pausePoint } from "../../support/service/pause-point.ts";
import { someTrace } from "../../support/traces/traces.ts";

let database: TestDatabase;
beforeAll(async () => {
  database = await startDatabase();
});
afterAll(() => database.close());

const spanOf = (span_id: string) => ({ span_id, name: span_id, started_at: "2026-10-01T10:00:01+00:00" });

/** A trace with `lateSpans` late spans, each in a document piece of its own. */
const traceOfPieces = async (lateSpans: number, input: unknown = null) => {
  const [project, trace] = [randomUUID(), someTrace({ input: input as string, spans: [spanOf("first")] })];
  const store = traceStore(database, 0);
  await store.save(project, trace);
  for (let index = 0; index < lateSpans; index += 1)
    await store.addSpans(project, trace.trace_id, [spanOf(`late ${index}`)]);
  return { project, id: trace.trace_id };
};

const readTrace = async (project: string, id: string) => {
  const located = await traceReader(database).get(project, id);
  if (located === null) throw new Error("The trace is gone.");
  return located;
};

const partsOf = async (project: string, id: string): Promise<readonly Record<string, unknown>[]> => {
  const { Items = [] } = await database.client.send(
    new QueryCommand({
      TableName: "bodies",
      KeyConditionExpression: "pk = :pk AND sk >= :part",
      ExpressionAttributeValues: { ":pk": bodyPartition(project, id), ":part": "part#" },
    }),
  );
  return Items.filter((item) => "b" in item);
};

const mergingOn = (on: Database, pace: WriteRate = unlimitedRate) =>
  traceMerging(traceReader(on), traceWriter(on, traceDays(on), Date.now), pace);

/** Merges all document pieces after the first one. */
const mergeAll = async (on: Database, project: string, id: string, pace?: WriteRate): Promise<boolean> => {
  const located = await readTrace(project, id);
  return await mergingOn(on, pace).merge(project, located, { from: 1, to: located.row.pieces.length, tier: 0 });
};

const far = Number.POSITIVE_INFINITY;

test("pending small pieces are merged without a change of the trace and of its row's other fields", async () => {
  const { project, id } = await traceOfPieces(20);
  const before = await readTrace(project, id);

  await mergePromptly(documentMerging(database), pendingMarkers(database, "documents"))([{ project, trace: id }]);

  const after = await readTrace(project, id);
  expect(after.trace).toEqual(before.trace);
  const { pieces, appendState, version, ...otherFields } = after.row;
  expect(before.row).toMatchObject(otherFields);
  expect([pieces.length, version]).toEqual([2, before.row.version + 1]);
  expect(appendState?.facts).toEqual(before.row.appendState?.facts);
  expect(await partsOf(project, id)).toHaveLength(2);
  expect(await rowFaults(database, project, id)).toEqual([]);
});

test("a piece that arrives during a merge stays behind the merged ones, and the merge writes nothing twice", async () => {
  const { project, id } = await traceOfPieces(8);
  const rowGate = pauseAt(commitsRow);
  const slow = watchedDatabase(database, rowGate.decide);
  const merging = mergeAll(slow, project, id);
  await rowGate.reached;
  await traceStore(database, 0).addSpans(project, id, [spanOf("meanwhile")]);
  rowGate.open();

  expect(await merging).toBe(true);
  const { trace, row } = await readTrace(project, id);
  expect(trace.spans.map(({ span_id }) => span_id).slice(-2)).toEqual(["late 7", "meanwhile"]);
  expect(row.pieces).toHaveLength(3);
  expect(slow.calls.filter(isOn("PutItem", "bodies"))).toHaveLength(1);
  expect(await partsOf(project, id)).toHaveLength(3);
});

test("a merge of pieces that another one has merged meanwhile commits nothing and leaves nothing", async () => {
  const { project, id } = await traceOfPieces(4);
  const rowGate = pauseAt(commitsRow);
  const slow = faultyDatabase(database, rowGate.decide);
  const merging = mergeAll(slow, project, id);
  await rowGate.reached;
  await mergeAll(database, project, id);
  await traceStore(database, 0).addSpans(project, id, [spanOf("meanwhile")]);
  const before = await readTrace(project, id);
  rowGate.open();

  expect(await merging).toBe(false);
  expect(await readTrace(project, id)).toEqual(before);
  expect(await partsOf(project, id)).toHaveLength(3);
});

test("a writer whose piece was merged before it learned of its commit does not add it again", async () => {
  const { project, id } = await traceOfPieces(2);
  await traceStore(database, 0).change(project, id, { kind: "trace-patch", update: { metadata: { first: true } } });
  const rowGate = pausePoint();
  let commits = 0;
  const slow = faultyDatabase(database, async (call) => {
    if (!commitsRow(call)) return null;
    commits += 1;
    if (commits === 1) return "timeout-after";
    if (commits === 2) await rowGate.pass();
    return null;
  });
  const patching = traceStore(slow, 0).change(project, id, { kind: "trace-patch", update: { output: "mine" } });
  await rowGate.reached;
  await mergeAll(database, project, id);
  await traceStore(database, 0).change(project, id, { kind: "trace-patch", update: { output: "other" } });
  rowGate.open();
  await patching;

  const { trace } = await readTrace(project, id);
  expect(trace.spans).toHaveLength(3);
  expect(["mine", "other"]).toContain(trace.output);
});

test("a reader gets the complete trace while its pieces are merged", async () => {
  const { project, id } = await traceOfPieces(8);
  const rowGate = pauseAt(isOn("GetItem", "rows"));
  const slow = faultyDatabase(database, rowGate.decide);
  const reading = traceReader(slow).get(project, id);
  await rowGate.reached;
  await mergeAll(database, project, id);
  rowGate.open();

  expect((await reading)?.trace.spans).toHaveLength(9);
});

test.each(["merge", "fold"] as const)(
  "a process that dies at any request of a %s leaves the trace unchanged, and its orphaned parts are removed",
  async (kind) => {
    let remainingParts = 0;
    for (let killed = 1, finished = false; !finished; killed += 1) {
      const { project, id } = await traceOfPieces(4);
      const before = await readTrace(project, id);
      let requests = 0;
      const dying = faultyDatabase(database, () => {
        requests += 1;
        return requests === killed ? (killed % 2 === 0 ? "crash-after" : "crash-before") : null;
      });
      const merging = mergingOn(dying);
      await (
        kind === "merge" ? merging.merge(project, before, { from: 1, to: 5, tier: 0 }) : merging.fold(project, before)
      ).catch(() => undefined);
      finished = !dying.crashed;

      const { trace, row } = await readTrace(project, id);
      expect(trace).toEqual(before.trace);
      expect(await rowFaults(database, project, id)).toEqual([]);
      remainingParts += (await partsOf(project, id)).length - row.pieces.length;
    }
    expect(remainingParts).toBeGreaterThan(0);
    const { orphans } = await storageScan(
      database,
      () => Date.now() + (kind === "fold" ? 80 : 40) * 86_400_000,
    )(60_000);
    expect(orphans).toBeGreaterThanOrEqual(remainingParts);
  },
);

test("large pieces are written and deleted part by part, each with a wait for the write rate", async () => {
  const { project, id } = await traceOfPieces(0);
  const store = traceStore(database, 0);
  const long = (): string => randomBytes(450_000).toString("base64");
  await store.addSpans(project, id, [{ ...spanOf("a"), input: long() }]);
  await store.addSpans(project, id, [{ ...spanOf("b"), input: long() }]);
  const steps: string[] = [];
  const watched = watchedDatabase(database, (call) => {
    if (isOn("PutItem", "bodies")(call) || isOn("DeleteItem", "bodies")(call)) steps.push(call.operation);
    return null;
  });
  const wait = async (bytes: number): Promise<void> =>
    void steps.push(bytes > 0 && bytes <= 390_000 ? "wait" : "too large");

  await mergeAll(watched, project, id, { wait, width: 1 });

  expect(steps).toEqual([
    ...Array.from({ length: 3 }, () => ["PutItem", "wait"]).flat(),
    ...Array.from({ length: 4 }, () => ["DeleteItem", "wait"]).flat(),
  ]);
  expect((await readTrace(project, id)).trace.spans).toHaveLength(3);
});

test("a sweep begins no merge of a large document after its time, when the turns of others have used it", async () => {
  const pending = pendingMarkers(database, "documents");
  const documents = await Promise.all(
    Array.from({ length: 4 }, async () => {
      const { project, id } = await traceOfPieces(0);
      const store = traceStore(database, 0);
      for (let index = 0; index < 8; index += 1)
        await store.addSpans(project, id, [{ ...spanOf(`s${index}`), input: randomBytes(33_000).toString("base64") }]);
      await pending.mark(project, id);
      return { project, id };
    }),
  );
  let time = Date.now();
  const slow = watchedDatabase(database, (call) => {
    if (isOn("PutItem", "bodies")(call)) time += 3_000;
    return null;
  });
  const cursor = cursorStore(database, documentCursor);
  const sweepFor = (budget: number) =>
    sweepDocuments(
      documentMerging(slow, () => time),
      pending,
      cursor,
      budget,
      () => time,
    );

  const sweeps = [await sweepFor(2_000), await sweepFor(60_000)];

  expect(sweeps).toEqual([
    { documents: 4, tidied: 1, left: true },
    { documents: 3, tidied: 3, left: false },
  ]);
  for (const { project, id } of documents) expect((await readTrace(project, id)).row.pieces).toHaveLength(2);
});

test("pieces that cannot be merged one by one are folded into one by the sweeper, and the trace accepts more spans", async () => {
  const [project, id] = [randomUUID(), randomUUID()];
  const store = traceStore(database, 0);
  const metadata = { "otel.trace_id": "t", [resourceKey("r")]: {} };
  for (let index = 0; index < 50; index += 1) {
    const span = { ...spanOf(`s${index}`), metadata: { [telemetryKeys.resource]: "r" } };
    const trace = {
      trace_id: id,
      name: "s0",
      status: "RUNNING",
      started_at: span.started_at,
      metadata,
      spans: [span],
    } as const;
    await store.save(project, trace, "telemetry");
    await store.change(project, id, { kind: "trace-patch", update: { status: "ERROR", output: index } });
  }
  const before = await readTrace(project, id);
  const pending = pendingMarkers(database, "documents");

  await mergePromptly(documentMerging(database), pending)([{ project, trace: id }]);
  const between = await readTrace(project, id);
  const report = await sweepDocuments(
    documentMerging(database),
    pending,
    cursorStore(database, documentCursor),
    60_000,
  );
  await store.addSpans(project, id, [spanOf("late")]);

  const after = await readTrace(project, id);
  expect(before.row.pieces.length).toBeGreaterThan(96);
  expect(between.row.pieces.length).toBe(before.row.pieces.length);
  expect(report).toEqual({ documents: 1, tidied: 1, left: false });
  expect(after.row.pieces).toHaveLength(2);
  expect({ ...after.trace, spans: after.trace.spans.slice(0, -1) }).toEqual(before.trace);
  expect(await rowFaults(database, project, id)).toEqual([]);
  expect(await documentMerging(database).mergeBacklog(project, id, far, false)).toBe(true);
});

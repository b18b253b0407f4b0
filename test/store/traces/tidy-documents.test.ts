import { QueryCommand } from "@aws-sdk/lib-dynamodb";
import { randomBytes, randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { storageScanning } from "../../../lib/deletion/scan-storage.ts";
import { resourceKey, telemetryKeys } from "../../../lib/domain/traces/telemetry.ts";
import { cursorStore } from "../../../lib/store/cursor.ts";
import type { Database } from "../../../lib/store/database.ts";
import { pendingMarks } from "../../../lib/store/hours/pending-marks.ts";
import { documentFolding } from "../../../lib/store/remains/document-folding.ts";
import { traceDays } from "../../../lib/store/traces/days.ts";
import { bodyPartition } from "../../../lib/store/traces/keys.ts";
import { traceMerging, unpaced, type Pace } from "../../../lib/store/traces/merging.ts";
import { traceReader } from "../../../lib/store/traces/reader.ts";
import { traceStore } from "../../../lib/store/traces/save.ts";
import { traceWriter } from "../../../lib/store/traces/writer.ts";
import { documentPlace, sweepDocuments, tidyPromptly } from "../../../lib/upkeep/tidy-documents.ts";
import { rowFaults } from "../../faults/ingest/row-faults.ts";
import { startDatabase, type TestDatabase } from "../../support/database/database.ts";
import { commitsRow, isOn, watchedDatabase } from "../../support/database/watched-database.ts";
import { faultyDatabase } from "../../support/faults/faults.ts";
import { gate } from "../../support/service/gate.ts";
import { someTrace } from "../../support/traces/traces.ts";

let database: TestDatabase;
beforeAll(async () => {
  database = await startDatabase();
});
afterAll(() => database.close());

const spanOf = (span_id: string) => ({ span_id, name: span_id, started_at: "2026-10-01T10:00:01+00:00" });

/** A trace with so many late spans, each in a piece of its own. */
const scattered = async (late: number, input: unknown = null) => {
  const [project, sent] = [randomUUID(), someTrace({ input: input as string, spans: [spanOf("first")] })];
  const store = traceStore(database, 0);
  await store.save(project, sent);
  for (let index = 0; index < late; index += 1) await store.addSpans(project, sent.trace_id, [spanOf(`late ${index}`)]);
  return { project, id: sent.trace_id };
};

const read = async (project: string, id: string) => {
  const found = await traceReader(database).get(project, id);
  if (found === null) throw new Error("The trace is gone.");
  return found;
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

const mergingOn = (on: Database, pace: Pace = unpaced) =>
  traceMerging(traceReader(on), traceWriter(on, traceDays(on), Date.now), pace);

/** Puts all late pieces of a document together. */
const mergeAll = async (on: Database, project: string, id: string, pace?: Pace): Promise<boolean> => {
  const stored = await read(project, id);
  return await mergingOn(on, pace).merge(project, stored, { from: 1, to: stored.row.pieces.length, tier: 0 });
};

const far = Number.POSITIVE_INFINITY;

test("small pieces that wait are put together; the trace and all that its row says stay what they were", async () => {
  const { project, id } = await scattered(20);
  const before = await read(project, id);

  await tidyPromptly(documentFolding(database), pendingMarks(database, "documents"))([{ project, trace: id }]);

  const after = await read(project, id);
  expect(after.trace).toEqual(before.trace);
  const { pieces, late, version, ...said } = after.row;
  expect(before.row).toMatchObject(said);
  expect([pieces.length, version]).toEqual([2, before.row.version + 1]);
  expect(late?.facts).toEqual(before.row.late?.facts);
  expect(await partsOf(project, id)).toHaveLength(2);
  expect(await rowFaults(database, project, id)).toEqual([]);
});

test("what comes while pieces are put together stays behind them, and nothing is written twice for it", async () => {
  const { project, id } = await scattered(8);
  const held = gate();
  const slow = watchedDatabase(database, async (call) => {
    if (commitsRow(call)) await held.pass();
    return null;
  });
  const merging = mergeAll(slow, project, id);
  await held.reached;
  await traceStore(database, 0).addSpans(project, id, [spanOf("meanwhile")]);
  held.open();

  expect(await merging).toBe(true);
  const { trace, row } = await read(project, id);
  expect(trace.spans.map(({ span_id }) => span_id).slice(-2)).toEqual(["late 7", "meanwhile"]);
  expect(row.pieces).toHaveLength(3);
  expect(slow.calls.filter(isOn("PutItem", "bodies"))).toHaveLength(1);
  expect(await partsOf(project, id)).toHaveLength(3);
});

test("a writer whose piece was put together with others before it heard that it was stored does not name it again", async () => {
  const { project, id } = await scattered(2);
  await traceStore(database, 0).change(project, id, { kind: "trace-patch", update: { metadata: { first: true } } });
  const held = gate();
  let commits = 0;
  const slow = faultyDatabase(database, async (call) => {
    if (!commitsRow(call)) return null;
    commits += 1;
    if (commits === 1) return "timeout-after";
    if (commits === 2) await held.pass();
    return null;
  });
  const patching = traceStore(slow, 0).change(project, id, { kind: "trace-patch", update: { output: "mine" } });
  await held.reached;
  await mergeAll(database, project, id);
  await traceStore(database, 0).change(project, id, { kind: "trace-patch", update: { output: "other" } });
  held.open();
  await patching;

  const { trace } = await read(project, id);
  expect(trace.spans).toHaveLength(3);
  expect(["mine", "other"]).toContain(trace.output);
});

test("a reader whom pieces are put together under gets the whole trace", async () => {
  const { project, id } = await scattered(8);
  const held = gate();
  const slow = faultyDatabase(database, async (call) => {
    if (isOn("GetItem", "rows")(call)) await held.pass();
    return null;
  });
  const reading = traceReader(slow).get(project, id);
  await held.reached;
  await mergeAll(database, project, id);
  held.open();

  expect((await reading)?.trace.spans).toHaveLength(9);
});

test.each(["merge", "fold"] as const)(
  "a process that dies anywhere at a %s leaves the trace as it was, and what it has left is found",
  async (how) => {
    let left = 0;
    for (let killed = 1, finished = false; !finished; killed += 1) {
      const { project, id } = await scattered(4);
      const before = await read(project, id);
      let requests = 0;
      const dying = faultyDatabase(database, () => {
        requests += 1;
        return requests === killed ? (killed % 2 === 0 ? "crash-after" : "crash-before") : null;
      });
      const merging = mergingOn(dying);
      await (
        how === "merge" ? merging.merge(project, before, { from: 1, to: 5, tier: 0 }) : merging.fold(project, before)
      ).catch(() => undefined);
      finished = !dying.crashed;

      const { trace, row } = await read(project, id);
      expect(trace).toEqual(before.trace);
      expect(await rowFaults(database, project, id)).toEqual([]);
      left += (await partsOf(project, id)).length - row.pieces.length;
    }
    expect(left).toBeGreaterThan(0);
    const { orphans } = await storageScanning(
      database,
      () => Date.now() + (how === "fold" ? 80 : 40) * 86_400_000,
    )(60_000);
    expect(orphans).toBeGreaterThanOrEqual(left);
  },
);

test("what is large is written a part at a time, each at its own pace, and so is what it lay in deleted", async () => {
  const { project, id } = await scattered(0);
  const store = traceStore(database, 0);
  const long = (): string => randomBytes(450_000).toString("base64");
  await store.addSpans(project, id, [{ ...spanOf("a"), input: long() }]);
  await store.addSpans(project, id, [{ ...spanOf("b"), input: long() }]);
  const done: string[] = [];
  const watched = watchedDatabase(database, (call) => {
    if (isOn("PutItem", "bodies")(call) || isOn("DeleteItem", "bodies")(call)) done.push(call.operation);
    return null;
  });
  const wait = async (bytes: number): Promise<void> =>
    void done.push(bytes > 0 && bytes <= 390_000 ? "wait" : "too large");

  await mergeAll(watched, project, id, { wait, width: 1 });

  expect(done).toEqual([
    ...Array.from({ length: 3 }, () => ["PutItem", "wait"]).flat(),
    ...Array.from({ length: 4 }, () => ["DeleteItem", "wait"]).flat(),
  ]);
  expect((await read(project, id)).trace.spans).toHaveLength(3);
});

test("what cannot be put together piece by piece is put into one by the sweeper, and the trace takes more then", async () => {
  const [project, id] = [randomUUID(), randomUUID()];
  const store = traceStore(database, 0);
  const metadata = { "otel.trace_id": "t", [resourceKey("r")]: {} };
  for (let index = 0; index < 50; index += 1) {
    const span = { ...spanOf(`s${index}`), metadata: { [telemetryKeys.resource]: "r" } };
    const sent = {
      trace_id: id,
      name: "s0",
      status: "RUNNING",
      started_at: span.started_at,
      metadata,
      spans: [span],
    } as const;
    await store.save(project, sent, "telemetry");
    await store.change(project, id, { kind: "trace-patch", update: { status: "ERROR", output: index } });
  }
  const before = await read(project, id);
  const pending = pendingMarks(database, "documents");

  await tidyPromptly(documentFolding(database), pending)([{ project, trace: id }]);
  const between = await read(project, id);
  const swept = await sweepDocuments(documentFolding(database), pending, cursorStore(database, documentPlace), 60_000);
  await store.addSpans(project, id, [spanOf("late")]);

  const after = await read(project, id);
  expect(before.row.pieces.length).toBeGreaterThan(96);
  expect(between.row.pieces.length).toBe(before.row.pieces.length);
  expect(swept).toEqual({ documents: 1, tidied: 1, left: false });
  expect(after.row.pieces).toHaveLength(2);
  expect({ ...after.trace, spans: after.trace.spans.slice(0, -1) }).toEqual(before.trace);
  expect(await rowFaults(database, project, id)).toEqual([]);
  expect(await documentFolding(database).tidy(project, id, far, false)).toBe(true);
});

import { paginateQuery } from "@aws-sdk/lib-dynamodb";
import { randomBytes, randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { storageScan } from "../../../lib/deletion/scan-storage.ts";
import type { Database } from "../../../lib/dynamo/database.ts";
import { bodyPartition } from "../../../lib/store/traces/keys.ts";
import { traceDays } from "../../../lib/store/traces/days.ts";
import { traceMerging, unlimitedRate } from "../../../lib/store/traces/pieces/merging.ts";
import { traceReader } from "../../../lib/store/traces/reader.ts";
import { traceStore } from "../../../lib/store/traces/save.ts";
import { traceWriter } from "../../../lib/store/traces/writer.ts";
import { startDatabase, type TestDatabase } from "../../support/database/database.ts";
import { faultyDatabase } from "../../support/faults/faults.ts";
import { someTrace } from "../../support/traces/traces.ts";

let database: TestDatabase;
beforeAll(async () => {
  database = await startDatabase();
});
afterAll(() => database.close());

const hour = 3_600_000;
/** Scans run once a month: each test has a month of its own. */
let month = Date.parse("2026-10-15T10:00:00Z");
const nextMonth = (): number => (month += 31 * 24 * hour);
const scanAt = (at: number) => storageScan(database, () => at)(60_000);

/** Random text, which compression does not shorten. */
const randomText = (bytes: number): string => randomBytes(bytes).toString("base64");

const partsOf = async (project: string, trace: string): Promise<readonly Record<string, unknown>[]> => {
  const parts: Record<string, unknown>[] = [];
  const query = {
    TableName: "bodies",
    KeyConditionExpression: "pk = :pk",
    ExpressionAttributeValues: { ":pk": bodyPartition(project, trace) },
    ConsistentRead: true,
  };
  for await (const { Items = [] } of paginateQuery({ client: database.client }, query)) parts.push(...Items);
  return parts;
};

const readTrace = async (project: string, trace: string) => (await traceReader(database).get(project, trace))?.trace;

/** Runs an action on a connection that dies before its first call of an operation on a table. */
const runDying = async (
  operation: string,
  table: string,
  act: (connection: Database) => Promise<unknown>,
): Promise<void> => {
  const dyingDb = faultyDatabase(database, (call) =>
    call.operation === operation && call.input["TableName"] === table ? "crash-before" : null,
  );
  await act(dyingDb).catch(() => undefined);
};

test("parts whose writer died before it wrote the row are removed a day later, and the trace can be sent again", async () => {
  const [project, trace, at] = [randomUUID(), someTrace({ input: randomText(400_000) }), nextMonth()];
  await runDying("PutItem", "rows", (connection) => traceStore(connection, 0, () => at).save(project, trace));
  const before = await partsOf(project, trace.trace_id);

  const earlyReport = await scanAt(at + 23 * hour);
  const between = await partsOf(project, trace.trace_id);
  const lateReport = await scanAt(nextMonth());
  const after = await partsOf(project, trace.trace_id);
  await traceStore(database, 0).save(project, trace);

  expect([before.length, between.length, after.length]).toEqual([2, 2, 0]);
  expect([earlyReport.orphans, lateReport.orphans]).toEqual([0, 2]);
  expect((await readTrace(project, trace.trace_id))?.input).toBe(trace.input);
});

test("a piece whose writer died before the row named it is removed, pieces that the row names stay", async () => {
  const reportBefore = await scanAt(nextMonth());
  const [project, at] = [randomUUID(), nextMonth()];
  // A page of a scan holds 1 MB: the parts of this trace fill several pages.
  const trace = someTrace({ input: randomText(2_000_000) });
  const traces = traceStore(database, 0, () => at);
  await traces.save(project, trace);
  await traces.change(project, trace.trace_id, { kind: "trace-patch", update: { output: "known" } });
  const parts = await partsOf(project, trace.trace_id);
  const completeTrace = await readTrace(project, trace.trace_id);
  await runDying("PutItem", "rows", (connection) =>
    traceStore(connection, 0, () => at).change(project, trace.trace_id, {
      kind: "trace-patch",
      update: { output: "lost" },
    }),
  );
  const withOrphan = await partsOf(project, trace.trace_id);

  const report = await scanAt(nextMonth());

  expect(withOrphan).toHaveLength(parts.length + 1);
  expect(report).toMatchObject({ orphans: 1, strays: 0 });
  expect(report.pages).toBeGreaterThan(reportBefore.pages);
  expect(await partsOf(project, trace.trace_id)).toEqual(parts);
  expect(await readTrace(project, trace.trace_id)).toEqual(completeTrace);
});

test("merged pieces that a dead worker has left are removed, with their filters and the pointer's part", async () => {
  const [project, trace, at] = [randomUUID(), someTrace(), nextMonth()];
  const span = (index: number) => ({ span_id: `s${index}`, name: "s", started_at: trace.started_at });
  const traces = traceStore(database, 0, () => at);
  await traces.save(project, { ...trace, spans: [span(0)] });
  await traces.addSpans(
    project,
    trace.trace_id,
    Array.from({ length: 60 }, (_, index) => span(1 + index)),
  );
  await runDying("UpdateItem", "bodies", async (connection) => {
    const [reader, writer] = [traceReader(connection), traceWriter(connection, traceDays(connection), () => at)];
    const located = await reader.get(project, trace.trace_id);
    if (located !== null) await traceMerging(reader, writer, unlimitedRate).fold(project, located);
  });
  const [completeTrace, before] = [await readTrace(project, trace.trace_id), await partsOf(project, trace.trace_id)];

  const report = await scanAt(nextMonth());
  const after = await partsOf(project, trace.trace_id);
  const nextReport = await scanAt(nextMonth());

  // The merged piece, its filter, and the pointer without a part.
  expect([before.length, after.length]).toEqual([5, 3]);
  expect(after.filter((item) => "b" in item)).toHaveLength(2);
  expect([report.orphans, nextReport.orphans]).toEqual([3, 0]);
  expect(completeTrace?.spans).toHaveLength(61);
  expect(await readTrace(project, trace.trace_id)).toEqual(completeTrace);
  // The ids of its spans are still known.
  await traces.addSpans(project, trace.trace_id, [span(7)]);
  expect(await readTrace(project, trace.trace_id)).toEqual(completeTrace);
});

test("an unfinished scan is continued at its position, by one worker at a time", async () => {
  const slow = nextMonth();
  let now = slow;
  const stepping = () => (now += 1);

  const first = await storageScan(database, stepping)(8);
  const [firstReport, secondReport] = await Promise.all([scanAt(slow + hour), scanAt(slow + hour)]);
  const thirdReport = await scanAt(slow + 2 * hour);

  expect(first.pages).toBeGreaterThan(0);
  expect([firstReport, secondReport].filter(({ pages }) => pages === 0)).toHaveLength(1);
  expect(thirdReport.pages).toBe(0);
});

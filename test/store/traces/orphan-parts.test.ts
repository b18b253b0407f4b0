import { paginateQuery } from "@aws-sdk/lib-dynamodb";
import { randomBytes, randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { storageScanning } from "../../../lib/deletion/scan-storage.ts";
import type { Database } from "../../../lib/store/database.ts";
import { bodyPartition } from "../../../lib/store/traces/keys.ts";
import { traceDays } from "../../../lib/store/traces/days.ts";
import { traceMerging, unpaced } from "../../../lib/store/traces/merging.ts";
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
/** Scans come once a month: each test has a month of its own. */
let month = Date.parse("2026-10-15T10:00:00Z");
const nextMonth = (): number => (month += 31 * 24 * hour);
const scanAt = (at: number) => storageScanning(database, () => at)(60_000);

/** Random, so that it cannot be compressed. */
const long = (bytes: number): string => randomBytes(bytes).toString("base64");

const partsOf = async (project: string, trace: string): Promise<readonly Record<string, unknown>[]> => {
  const found: Record<string, unknown>[] = [];
  const query = {
    TableName: "bodies",
    KeyConditionExpression: "pk = :pk",
    ExpressionAttributeValues: { ":pk": bodyPartition(project, trace) },
    ConsistentRead: true,
  };
  for await (const { Items = [] } of paginateQuery({ client: database.client }, query)) found.push(...Items);
  return found;
};

const read = async (project: string, trace: string) => (await traceReader(database).get(project, trace))?.trace;

/** Does something by a function that dies before its first call of an operation on a table. */
const dying = async (operation: string, table: string, act: (own: Database) => Promise<unknown>): Promise<void> => {
  const mortal = faultyDatabase(database, (call) =>
    call.operation === operation && call.input["TableName"] === table ? "crash-before" : null,
  );
  await act(mortal).catch(() => undefined);
};

test("what is left of a trace by a writer that died before its row is removed a day later, and the trace can be sent again", async () => {
  const [project, trace, at] = [randomUUID(), someTrace({ input: long(400_000) }), nextMonth()];
  await dying("PutItem", "rows", (own) => traceStore(own, 0, () => at).save(project, trace));
  const before = await partsOf(project, trace.trace_id);

  const early = await scanAt(at + 23 * hour);
  const between = await partsOf(project, trace.trace_id);
  const late = await scanAt(nextMonth());
  const after = await partsOf(project, trace.trace_id);
  await traceStore(database, 0).save(project, trace);

  expect([before.length, between.length, after.length]).toEqual([2, 2, 0]);
  expect([early.orphans, late.orphans]).toEqual([0, 2]);
  expect((await read(project, trace.trace_id))?.input).toBe(trace.input);
});

test("a piece whose writer died before the row named it is removed, what the row names is not", async () => {
  const without = await scanAt(nextMonth());
  const [project, at] = [randomUUID(), nextMonth()];
  // A page of a scan holds 1 MB: the parts of this one lie on several.
  const trace = someTrace({ input: long(2_000_000) });
  const traces = traceStore(database, 0, () => at);
  await traces.save(project, trace);
  await traces.change(project, trace.trace_id, { kind: "trace-patch", update: { output: "known" } });
  const parts = await partsOf(project, trace.trace_id);
  const whole = await read(project, trace.trace_id);
  await dying("PutItem", "rows", (own) =>
    traceStore(own, 0, () => at).change(project, trace.trace_id, { kind: "trace-patch", update: { output: "lost" } }),
  );
  const withOrphan = await partsOf(project, trace.trace_id);

  const report = await scanAt(nextMonth());

  expect(withOrphan).toHaveLength(parts.length + 1);
  expect(report).toMatchObject({ orphans: 1, strays: 0 });
  expect(report.pages).toBeGreaterThan(without.pages);
  expect(await partsOf(project, trace.trace_id)).toEqual(parts);
  expect(await read(project, trace.trace_id)).toEqual(whole);
});

test("what was folded into another piece is removed where its writer died at it, the part in the pointer and the filter too", async () => {
  const [project, trace, at] = [randomUUID(), someTrace(), nextMonth()];
  const span = (index: number) => ({ span_id: `s${index}`, name: "s", started_at: trace.started_at });
  const traces = traceStore(database, 0, () => at);
  await traces.save(project, { ...trace, spans: [span(0)] });
  await traces.addSpans(
    project,
    trace.trace_id,
    Array.from({ length: 60 }, (_, index) => span(1 + index)),
  );
  await dying("UpdateItem", "bodies", async (own) => {
    const [reader, writer] = [traceReader(own), traceWriter(own, traceDays(own), () => at)];
    const stored = await reader.get(project, trace.trace_id);
    if (stored !== null) await traceMerging(reader, writer, unpaced).fold(project, stored);
  });
  const [whole, before] = [await read(project, trace.trace_id), await partsOf(project, trace.trace_id)];

  const report = await scanAt(nextMonth());
  const after = await partsOf(project, trace.trace_id);
  const again = await scanAt(nextMonth());

  // The piece that they were folded into, its filter, and the pointer without a part.
  expect([before.length, after.length]).toEqual([5, 3]);
  expect(after.filter((item) => "b" in item)).toHaveLength(2);
  expect([report.orphans, again.orphans]).toEqual([3, 0]);
  expect(whole?.spans).toHaveLength(61);
  expect(await read(project, trace.trace_id)).toEqual(whole);
  // Its spans are known still.
  await traces.addSpans(project, trace.trace_id, [span(7)]);
  expect(await read(project, trace.trace_id)).toEqual(whole);
});

test("a scan whose time is over goes on where it was, by one worker at a time", async () => {
  const slow = nextMonth();
  let now = slow;
  const stepping = () => (now += 1);

  const first = await storageScanning(database, stepping)(8);
  const [some, none] = await Promise.all([scanAt(slow + hour), scanAt(slow + hour)]);
  const rest = await scanAt(slow + 2 * hour);

  expect(first.pages).toBeGreaterThan(0);
  expect([some, none].filter(({ pages }) => pages === 0)).toHaveLength(1);
  expect(rest.pages).toBe(0);
});

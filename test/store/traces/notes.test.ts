import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { isAwaited } from "../../../lib/domain/traces/notes.ts";
import { exportedEvents } from "../../../lib/otlp/logs/exported-event.ts";
import { notedTraces } from "../../../lib/otlp/logs/noted-traces.ts";
import { exportLogs } from "../../../lib/contract/otlp/export-logs.ts";
import { traceReader } from "../../../lib/store/traces/reader.ts";
import { traceStore } from "../../../lib/store/traces/save.ts";
import { rowFaults } from "../../faults/ingest/row-faults.ts";
import { countCapacity } from "../../bench/capacity.ts";
import { startDatabase, type TestDatabase } from "../../support/database/database.ts";
import { jsonExport, jsonSpan } from "../../support/otlp/otlp.ts";
import { traceIn } from "../../support/otlp/otlp-fixtures.ts";
import { parse } from "valibot";
import { exportTraces } from "../../../lib/contract/otlp/export-traces.ts";

let database: TestDatabase;
beforeAll(async () => {
  database = await startDatabase();
});
afterAll(() => database.close());

const traceId = "5b8efff798038103d269b633813fc60c";
const spanId = "eee19b7ec3c1b174";

const noted = () => {
  const record = {
    timeUnixNano: "1795251600000000000",
    eventName: "gen_ai.user.message",
    body: { kvlistValue: { values: [{ key: "content", value: { stringValue: "hi" } }] } },
    traceId,
    spanId,
  };
  const request = parse(exportLogs.body, { resourceLogs: [{ scopeLogs: [{ logRecords: [record] }] }] });
  const [sent] = notedTraces(exportedEvents(request).events).traces;
  if (sent === undefined) throw new Error("There is an event in it.");
  return sent.trace;
};

const spans = (ids: readonly string[]) =>
  traceIn(
    parse(
      exportTraces.body,
      jsonExport(ids.map((id) => jsonSpan(traceId, id, {}, { "gen_ai.operation.name": "chat" }))),
    ),
  );

test("an event costs what a late span does: 3 write units before its span and behind it, and none when it comes again", async () => {
  const store = traceStore(database, 0);
  const reader = traceReader(database);
  const spent = countCapacity(database);
  for (const order of ["before", "behind"]) {
    const project = randomUUID();
    await store.save(project, spans(["0000000000000001"]), "telemetry");
    if (order === "behind") await store.save(project, spans([spanId]), "telemetry");
    spent();

    await store.save(project, noted(), "telemetry");
    const first = spent();
    await store.save(project, noted(), "telemetry");
    const again = spent();
    if (order === "before") await store.save(project, spans([spanId]), "telemetry");
    const joined = spent();
    const found = await reader.get(project, noted().trace_id);

    expect(first.write).toBeLessThanOrEqual(3);
    expect(first.read).toBeLessThanOrEqual(6);
    expect(again.write).toBe(0);
    expect(joined.write).toBeLessThanOrEqual(3);
    expect(found?.trace.spans).toHaveLength(2);
    expect(found?.trace.spans.some(isAwaited)).toBe(false);
    expect(found?.trace.spans).toContainEqual(expect.objectContaining({ input: [{ role: "user", content: "hi" }] }));
    expect(await rowFaults(database, project, noted().trace_id)).toEqual([]);
  }
});

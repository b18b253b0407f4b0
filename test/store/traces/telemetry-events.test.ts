import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { isPlaceholder } from "../../../lib/domain/traces/log-events.ts";
import { exportedEvents } from "../../../lib/otlp/logs/exported-event.ts";
import { tracesOfEvents } from "../../../lib/otlp/logs/event-traces.ts";
import { exportLogs } from "../../../lib/contract/otlp/export-logs.ts";
import { traceReader } from "../../../lib/store/traces/reader.ts";
import { traceStore } from "../../../lib/store/traces/save.ts";
import { rowFaults } from "../../faults/ingest/row-faults.ts";
import { countCapacity } from "../../bench/capacity.ts";
import { startDatabase, type TestDatabase } from "../../support/database/database.ts";
import { jsonExport, jsonSpan } from "../../support/otlp/otlp.ts";
import { recordedEvents, recordedRequest, traceIn } from "../../support/otlp/otlp-fixtures.ts";
import { parse } from "valibot";
import { exportTraces } from "../../../lib/contract/otlp/export-traces.ts";

let database: TestDatabase;
beforeAll(async () => {
  database = await startDatabase();
});
afterAll(() => database.close());

const traceId = "5b8efff798038103d269b633813fc60c";
const spanId = "eee19b7ec3c1b174";

const traceOfEvent = () => {
  const record = {
    timeUnixNano: "1795251600000000000",
    eventName: "gen_ai.user.message",
    body: { kvlistValue: { values: [{ key: "content", value: { stringValue: "hi" } }] } },
    traceId,
    spanId,
  };
  const request = parse(exportLogs.body, { resourceLogs: [{ scopeLogs: [{ logRecords: [record] }] }] });
  const [exported] = tracesOfEvents(exportedEvents(request).events).traces;
  if (exported === undefined) throw new Error("The request has no event.");
  return exported.trace;
};

const spans = (ids: readonly string[]) =>
  traceIn(
    parse(
      exportTraces.body,
      jsonExport(ids.map((id) => jsonSpan(traceId, id, {}, { "gen_ai.operation.name": "chat" }))),
    ),
  );

test("an event costs at most 3 write units, like a late span, whether it arrives before or after its span, and a repeated one costs none", async () => {
  const store = traceStore(database, 0);
  const reader = traceReader(database);
  const takeCapacity = countCapacity(database);
  for (const order of ["before", "behind"]) {
    const project = randomUUID();
    await store.save(project, spans(["0000000000000001"]), "telemetry");
    if (order === "behind") await store.save(project, spans([spanId]), "telemetry");
    takeCapacity();

    await store.save(project, traceOfEvent(), "telemetry");
    const first = takeCapacity();
    await store.save(project, traceOfEvent(), "telemetry");
    const repeated = takeCapacity();
    if (order === "before") await store.save(project, spans([spanId]), "telemetry");
    const joined = takeCapacity();
    const located = await reader.get(project, traceOfEvent().trace_id);

    expect(first.write).toBeLessThanOrEqual(3);
    expect(first.read).toBeLessThanOrEqual(6);
    expect(repeated.write).toBe(0);
    expect(joined.write).toBeLessThanOrEqual(3);
    expect(located?.trace.spans).toHaveLength(2);
    expect(located?.trace.spans.some(isPlaceholder)).toBe(false);
    expect(located?.trace.spans).toContainEqual(expect.objectContaining({ input: [{ role: "user", content: "hi" }] }));
    expect(await rowFaults(database, project, traceOfEvent().trace_id)).toEqual([]);
  }
});

test.each([
  ["before", "the span that they name", [false, true]],
  ["after", "that span", [true, false]],
])("events of calls that arrive %s %s complete the calls, and the row has their cost", async (_when, _span, order) => {
  const [store, reader, project] = [traceStore(database, 0), traceReader(database), randomUUID()];
  const calls = recordedRequest("frameworks/claude-sdk.00256._v1_traces.pb.gz");
  const [resource] = calls.resourceSpans;
  const [scope] = resource?.scopeSpans ?? [];
  if (resource === undefined || scope === undefined) throw new Error("The recording has spans.");
  const [first, last] = order.map((isRoot) => {
    const parts = scope.spans.filter(({ name }) =>
      isRoot ? name === "claude_code.interaction" : /llm_request$|tool$/u.test(name),
    );
    return traceIn({ ...calls, resourceSpans: [{ ...resource, scopeSpans: [{ ...scope, spans: parts }] }] });
  });
  const { trace: events } = recordedEvents("frameworks/claude-sdk.00257._v1_logs.pb.gz");
  if (events === undefined || first === undefined || last === undefined) throw new Error("The recording has events.");

  for (const trace of [first, events, last]) {
    await store.save(project, trace, "telemetry");
    expect(await rowFaults(database, project, events.trace_id)).toEqual([]);
  }
  const stored = await reader.get(project, events.trace_id);

  expect(stored?.trace.spans.filter(({ kind }) => kind === "TOOL")).toMatchObject([{ input: { city: "Paris" } }]);
  expect(stored?.row.totalCost).toBeCloseTo(0.0010996, 9);
});

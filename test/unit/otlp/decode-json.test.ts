import { expect, test } from "vitest";
import { decodeJson } from "../../../lib/otlp/wire/decode-json.ts";
import { exportLogsServiceRequest, exportTraceServiceRequest } from "../../../lib/otlp/wire/protobuf-messages.ts";

const traceId = "5b8efff798038103d269b633813fc60c";

/** Reads the fields of one span; also sentences about what is not read. */
const readSpan = (fields: object) => {
  const { message, flaws } = decodeJson(
    { resourceSpans: [{ scopeSpans: [{ spans: [fields] }] }] },
    exportTraceServiceRequest,
  );
  const [{ scopeSpans = [] } = {}] = (message["resourceSpans"] ?? []) as { scopeSpans?: { spans?: object[] }[] }[];
  return { span: scopeSpans[0]?.spans?.[0], flaws };
};

test.each<[sent: object, read: object]>([
  [{ flags: "257" }, { flags: 257 }],
  [
    { droppedAttributesCount: "3", dropped_links_count: 2.0 },
    { droppedAttributesCount: 3, droppedLinksCount: 2 },
  ],
  [{ startTimeUnixNano: 1_795_251_600_000_000_000 }, { startTimeUnixNano: "1795251600000000000" }],
  [{ startTimeUnixNano: "1.7952516e18" }, { startTimeUnixNano: "1795251600000000000" }],
  [{ kind: "SPAN_KIND_SERVER" }, { kind: 2 }],
  [
    { kind: "client", status: { code: "2" } },
    { kind: 3, status: { code: 2 } },
  ],
  [{ Status: { code: "STATUS_CODE_ERROR", message: 7 } }, { status: { code: 2, message: "7" } }],
  [{ name: 5, traceState: null }, { name: "5" }],
  [{ trace_id: Buffer.from(traceId, "hex").toString("base64") }, { traceId }],
  [{ traceId: traceId.toUpperCase() }, { traceId: traceId.toUpperCase() }],
  [{ futureField: { a: 1 } }, {}],
  [{ links: { trace_id: traceId } }, { links: [{ traceId }] }],
])("the span %j is read as %j", (sent, read) => {
  expect(readSpan(sent)).toEqual({ span: read, flaws: [] });
});

test.each<[sent: unknown, read: unknown]>([
  [{ int_value: 7 }, { intValue: "7" }],
  [{ intValue: "1e3" }, { intValue: "1000" }],
  [{ doubleValue: "1.5" }, { doubleValue: 1.5 }],
  [{ doubleValue: "-Infinity" }, { doubleValue: "-Infinity" }],
  [{ doubleValue: "+01.50" }, { doubleValue: 1.5 }],
  [{ doubleValue: "0x1fffffffffffffff" }, { doubleValue: 2 ** 61 }],
  [{ intValue: "000012345678901234567890" }, { intValue: "12345678901234567890" }],
  [{ boolValue: "true" }, { boolValue: true }],
  [{ stringValue: 5 }, { stringValue: "5" }],
  ["plain", { stringValue: "plain" }],
  [5, { doubleValue: 5 }],
  [
    { array_value: { values: [{ string_value: "x" }, true] } },
    { arrayValue: { values: [{ stringValue: "x" }, { boolValue: true }] } },
  ],
])("the value %j of an attribute is read as %j", (value, read) => {
  expect(readSpan({ attributes: [{ key: "a", value }] })).toEqual({
    span: { attributes: [{ key: "a", value: read }] },
    flaws: [],
  });
});

test.each<[sent: object, read: object, names: string]>([
  [{ name: "x", flags: "many" }, { name: "x" }, "flags"],
  [{ kind: "SPAN_KIND_NEW", status: "ERROR" }, {}, "kind, status"],
  [{ name: ["x"], droppedEventsCount: -1 }, {}, "name, droppedEventsCount"],
  [{ name: "x", attributes: { a: "b" } }, { name: "x", attributes: [] }, "attributes"],
  [{ events: [5, { name: "e" }] }, { events: [{ name: "e" }] }, "events"],
])("of the span %j is read %j, and what has another type is named: %s", (sent, read, names) => {
  expect(readSpan(sent)).toEqual({ span: read, flaws: [`Not read, as of another type: ${names}.`] });
});

test("an item that is no object is empty, and those beside it are read", () => {
  const logRecords = [5, null, { event_name: "gen_ai.choice", severity_number: "SEVERITY_NUMBER_INFO" }];
  const { message } = decodeJson(
    { resource_logs: [{ instrumentationLibraryLogs: [{ logs: logRecords }] }] },
    exportLogsServiceRequest,
  );

  expect(message).toEqual({
    resourceLogs: [{ scopeLogs: [{ logRecords: [{}, {}, { eventName: "gen_ai.choice" }] }] }],
  });
});

test.each<[body: unknown, isKnown: boolean, flaws: readonly string[]]>([
  [{}, true, []],
  [{ resourceSpans: [] }, true, []],
  [{ resourceLogs: [] }, false, ["Nothing is read: unknown are resourceLogs."]],
  [[], false, []],
  ["resourceSpans", false, []],
  [{ resourceSpans: [{ spans: [{}] }] }, true, ["Nothing is read: unknown are spans."]],
  [{ resourceSpans: [{ scopeSpans: "x" }] }, true, ["Not read, as of another type: scopeSpans."]],
])("the body %j is known: %s", (body, isKnown, flaws) => {
  expect(decodeJson(body, exportTraceServiceRequest)).toMatchObject({ isKnown, flaws });
});

import { deflateSync, zstdCompressSync } from "node:zlib";
import { describe, expect, inject, test } from "vitest";
import { getTrace } from "../../../lib/contract/traces/traces.ts";
import { spanUuid, traceUuid } from "../../../lib/otlp/wire/span-ids.ts";
import { hexId, jsonExport, jsonSpan, otlpTypes, sendExport, sendJsonExport } from "../../support/otlp/otlp.ts";
import { type Client, newProject } from "../../support/service/client.ts";

const service = inject("service");

const readTrace = (project: Client, traceId: string) =>
  project.answer(getTrace, { params: { trace_id: traceUuid(traceId.toLowerCase()) } });

describe("a compressed body", () => {
  test("with deflate is accepted", async () => {
    const project = newProject(service);
    const traceId = hexId(16);
    const bytes = deflateSync(JSON.stringify(jsonExport([jsonSpan(traceId, hexId(8))])));

    const reply = await sendExport(service, project.headers, bytes, {
      "Content-Type": otlpTypes.json,
      "Content-Encoding": "deflate",
    });

    expect([reply.status, reply.bytes.toString()]).toEqual([200, "{}"]);
    expect((await readTrace(project, traceId)).spans).toHaveLength(1);
  });

  test.each([
    ["with an encoding that the gateway does not support", "zstd", zstdCompressSync("{}")],
    ["with another encoding than its header names", "gzip", deflateSync("{}")],
  ])("%s is refused with the supported encodings", async (_how, encoding, bytes) => {
    const reply = await sendExport(service, newProject(service).headers, bytes, {
      "Content-Type": otlpTypes.json,
      "Content-Encoding": encoding,
    });

    expect(reply.status).toBe(415);
    expect(JSON.parse(reply.bytes.toString())).toMatchObject({
      detail: "The Content-Encoding must be gzip, deflate or absent, and the body must be encoded accordingly.",
    });
  });
});

describe("OTLP's JSON", () => {
  test("is read as specified: hex ids of any case, numbers as text or not, unknown fields ignored", async () => {
    const project = newProject(service);
    const [traceId, spanId] = [hexId(16).toUpperCase(), hexId(8).toUpperCase()];
    const attributes = [
      { key: "int.text", value: { intValue: "9007199254740993" } },
      { key: "int.number", value: { intValue: 7 } },
      { key: "not.a.number", value: { doubleValue: "NaN" } },
      { key: "bytes", value: { bytesValue: "aGk=" } },
      { key: "list", value: { arrayValue: { values: [{ boolValue: true }, { stringValue: "x" }] } } },
      { key: "map", value: { kvlistValue: { values: [{ key: "a", value: { doubleValue: 0.5 } }] } } },
      { key: "later", value: { aKindOfTomorrow: 1 }, ofTomorrow: true },
    ];
    const span = jsonSpan(traceId, spanId, {
      kind: 3,
      status: { code: 2, message: "no", ofTomorrow: 1 },
      startTimeUnixNano: 1_795_251_600_000_000_000,
      ofTomorrow: { any: ["thing"] },
      attributes,
    });

    const reply = await sendJsonExport(service, project.headers, { ...jsonExport([span]), ofTomorrow: [] });
    const trace = await readTrace(project, traceId);

    expect([reply.status, reply.bytes.toString()]).toEqual([200, "{}"]);
    expect(trace.spans).toMatchObject([
      {
        span_id: spanUuid(traceId.toLowerCase(), spanId.toLowerCase()),
        status: "ERROR",
        metadata: {
          "int.number": 7,
          "not.a.number": "NaN",
          bytes: "aGk=",
          list: [true, "x"],
          map: { a: 0.5 },
          "otel.kind": "CLIENT",
        },
      },
    ]);
  });

  test("with protobuf's field names and ids in base64 is read like that of OTLP", async () => {
    const project = newProject(service);
    const [traceId, spanId] = [hexId(16), hexId(8)];
    const base64 = (id: string) => Buffer.from(id, "hex").toString("base64");
    const span = {
      trace_id: base64(traceId),
      span_id: base64(spanId),
      name: "snake",
      kind: "SPAN_KIND_SERVER",
      status: { code: "STATUS_CODE_ERROR" },
      start_time_unix_nano: "1795251600000000000",
      end_time_unix_nano: "1795251601000000000",
      attributes: [{ key: "count", value: { int_value: "7" } }],
    };

    const reply = await sendJsonExport(service, project.headers, {
      resource_spans: [{ instrumentation_library_spans: [{ spans: [span] }] }],
    });

    expect(reply.bytes.toString()).toBe("{}");
    expect((await readTrace(project, traceId)).spans).toMatchObject([
      { span_id: spanUuid(traceId, spanId), status: "ERROR", metadata: { count: 7, "otel.kind": "SERVER" } },
    ]);
  });
});

describe("a caller's trace context", () => {
  test("is kept: the trace id is the caller's and the parent is the caller's span, even though that span is not exported here", async () => {
    const project = newProject(service);
    const [traceId, caller, spanId] = [hexId(16), hexId(8), hexId(8)];
    const remote = { parentSpanId: caller, flags: 0x301, name: "handle", traceState: "vendor=1" };

    await sendJsonExport(service, project.headers, jsonExport([jsonSpan(traceId, spanId, remote)]));
    const trace = await readTrace(project, traceId);

    expect(trace).toMatchObject({ trace_id: traceUuid(traceId), name: "handle", status: "COMPLETED" });
    expect(trace.spans).toMatchObject([
      {
        parent_span_id: spanUuid(traceId, caller),
        metadata: { "otel.parent_is_remote": true, "otel.others": { trace_state: "vendor=1" } },
      },
    ]);
  });

  test("sets session and user by attributes of spans, not by the baggage header of the export", async () => {
    const project = newProject(service);
    const [traceId, otherTraceId] = [hexId(16), hexId(16)];
    const baggage = { baggage: "session.id=of-the-export,user.id=of-the-export" };
    const send = (body: unknown) =>
      sendExport(service, project.headers, JSON.stringify(body), { "Content-Type": otlpTypes.json, ...baggage });

    await send(jsonExport([jsonSpan(traceId, hexId(8), {}, { "session.id": "chat-7", "user.id": "mia" })]));
    await send(jsonExport([jsonSpan(otherTraceId, hexId(8))]));

    expect(await readTrace(project, traceId)).toMatchObject({ session_id: "chat-7", user_id: "mia" });
    expect(await readTrace(project, otherTraceId)).toMatchObject({ session_id: null, user_id: null });
  });
});

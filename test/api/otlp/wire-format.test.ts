import { readFileSync } from "node:fs";
import { gzipSync } from "node:zlib";
import { describe, expect, inject, test } from "vitest";
import { getTrace, listTraces } from "../../../lib/contract/traces/traces.ts";
import { traceUuid } from "../../../lib/otlp/wire/span-ids.ts";
import { clientWith, newProject } from "../../support/service/client.ts";
import { inTurn } from "../../support/in-turn.ts";
import {
  hexId,
  jsonExport,
  jsonSpan,
  otlpTypes,
  sendExport,
  sendGzip,
  sendJsonExport,
} from "../../support/otlp/otlp.ts";

const service = inject("service");
const project = newProject(service);

const recorded = readFileSync(new URL("../../fixtures/otlp/openinference-openai.pb", import.meta.url));

describe("an export in protobuf", () => {
  test("is stored and answered with an empty message", async () => {
    const project = newProject(service);

    const plain = await sendExport(service, project.headers, recorded);
    const compressed = await sendGzip(service, project.headers, recorded);
    const { items } = await project.answer(listTraces);

    expect([plain, compressed].map(({ status, bytes }) => [status, bytes.length])).toEqual([
      [200, 0],
      [200, 0],
    ]);
    expect(plain.headers["content-type"]).toBe(otlpTypes.protobuf);
    expect(items).toMatchObject([{ name: "answer_customer", status: "COMPLETED", total_tokens: 160, span_count: 4 }]);
  });

  test("that is malformed is answered with a protobuf status", async () => {
    const cut = await sendExport(service, project.headers, recorded.subarray(0, -1));
    const noise = await sendExport(service, project.headers, Buffer.from("not protobuf"));

    expect([cut.status, noise.status]).toEqual([400, 400]);
    expect(cut.headers["content-type"]).toBe(otlpTypes.protobuf);
    // Field 1: code 3, INVALID_ARGUMENT; field 2: the message.
    expect(cut.bytes.subarray(0, 3)).toEqual(Buffer.from([8, 3, 0x12]));
    expect(cut.bytes.subarray(4).toString()).toBe("body: The message ends too early.");
  });

  test("that is not protobuf is answered with a hint that fits its content", async () => {
    const [json, compressed] = [Buffer.from('{"resourceSpans":[]}'), gzipSync(recorded)];

    const replies = [
      await sendExport(service, project.headers, json),
      await sendExport(service, project.headers, compressed),
    ];

    expect(replies.map(({ status }) => status)).toEqual([400, 400]);
    expect(replies.map(({ bytes }) => bytes.subarray(4).toString())).toEqual([
      expect.stringMatching(/ It is like JSON: send it as application\/json\.$/u),
      expect.stringMatching(/ It is gzip: send Content-Encoding: gzip\.$/u),
    ]);
  });

  test("without any spans is accepted", async () => {
    const reply = await sendExport(service, project.headers, Buffer.of());

    expect(reply.status).toBe(200);
  });

  test("is answered with the number of spans that were not stored", async () => {
    const traceId = hexId(16);
    const attributes = Array.from({ length: 10_001 }, (_, index) => ({
      key: `key ${index}`,
      value: { intValue: "1" },
    }));
    const spans = [
      jsonSpan(traceId, hexId(8)),
      jsonSpan("00".repeat(16), hexId(8)),
      jsonSpan(traceId, "12"),
      { ...jsonSpan(traceId, hexId(8)), spanId: undefined },
      { ...jsonSpan(traceId, hexId(8)), attributes },
      { ...jsonSpan(traceId, hexId(8)), events: [{ name: "much", timeUnixNano: "1", attributes }] },
    ];

    const reply = await sendJsonExport(service, project.headers, jsonExport(spans));
    const { spans: storedSpans } = await project.answer(getTrace, { params: { trace_id: traceUuid(traceId) } });

    expect(reply.status).toBe(200);
    expect(JSON.parse(reply.bytes.toString())).toEqual({
      partialSuccess: {
        rejectedSpans: "5",
        errorMessage:
          "A trace id is not 16 bytes, or is all zero. A span id is not 8 bytes, or is all zero. " +
          "A span, an event or a link has more than 10000 attributes.",
      },
    });
    expect(storedSpans).toHaveLength(1);
  });
});

describe("an export beyond the limits of a request", () => {
  /** A protobuf field that contains a message. */
  const field = (number: number, bytes: Buffer): Buffer => {
    const length: number[] = [];
    let remainingLength = bytes.length;
    for (; remainingLength >= 0x80; remainingLength = Math.floor(remainingLength / 0x80))
      length.push((remainingLength % 0x80) + 0x80);
    return Buffer.concat([Buffer.from([number * 8 + 2, ...length, remainingLength]), bytes]);
  };
  const empty = (number: number, count: number): Buffer => Buffer.alloc(2 * count, Buffer.from([number * 8 + 2, 0]));
  const detail = (bytes: Buffer): unknown => JSON.parse(bytes.toString());

  test("is refused before it fills the memory, whether the body is small or large", async () => {
    const spans = (count: number): Buffer => field(1, field(2, empty(2, count)));
    const attributes = field(1, field(2, field(2, empty(9, 2_000_000))));
    const bodies = [spans(2_000_000), spans(250_000), empty(1, 2_000_000), attributes];

    const replies = await inTurn(bodies, (bytes) => sendGzip(service, project.headers, bytes));
    const many = `{"resourceSpans":[{"scopeSpans":[{"spans":[${"{},".repeat(1_300_000)}{}]}]}]}`;
    const inJson = await sendExport(service, project.headers, many, { "Content-Type": otlpTypes.json });

    expect(gzipSync(spans(2_000_000)).length).toBeLessThan(4_000);
    expect([...replies, inJson].map(({ status }) => status)).toEqual([413, 413, 413, 413, 413]);
    expect(detail(inJson.bytes)).toEqual({
      code: 3,
      message:
        "The body has more than 500000 values in it; a number that is kept digit for digit, such as 1.0, counts twice. Lower OTEL_BSP_MAX_EXPORT_BATCH_SIZE, e.g. to 100.",
    });
  });

  test("is accepted up to the limits, and spans without ids are reported individually", async () => {
    const withoutIds = await sendGzip(service, project.headers, field(1, field(2, empty(2, 20_000))));
    const resources = await sendGzip(service, project.headers, empty(1, 250_000));
    const json = await sendJsonExport(service, project.headers, jsonExport(Array.from({ length: 500 }, () => ({}))));

    expect([withoutIds, resources, json].map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(withoutIds.bytes.length).toBeGreaterThan(0);
    expect(resources.bytes).toHaveLength(0);
    expect(detail(json.bytes)).toEqual({
      partialSuccess: { rejectedSpans: "500", errorMessage: "A trace id is not 16 bytes, or is all zero." },
    });
  });

  test("is answered with a short error, however many errors there are", async () => {
    const wrong = Array.from({ length: 20_000 }, () => ({ traceId: 5, spanId: "x".repeat(20) }));

    const reply = await sendJsonExport(service, project.headers, jsonExport(wrong));

    expect(reply.status).toBe(200);
    expect(reply.bytes.length).toBeLessThan(2_000);
  });

  test("with a separate trace and resource for each span is accepted", async () => {
    const resourceSpans = Array.from(
      { length: 300 },
      (_, index) => jsonExport([jsonSpan(hexId(16), hexId(8))], { "service.version": String(index) }).resourceSpans[0],
    );
    const otherProject = newProject(service);

    const reply = await sendJsonExport(service, otherProject.headers, { resourceSpans });
    const { items } = await otherProject.answer(listTraces, { query: { limit: "200" } });

    expect([reply.status, reply.bytes.toString()]).toEqual([200, "{}"]);
    expect(new Set(items.map(({ release }) => release)).size).toBe(200);
  });
});

describe("an export that is refused", () => {
  const statusIn = (bytes: Buffer): unknown => JSON.parse(bytes.toString());

  test("is answered with a status in JSON", async () => {
    const broken = await sendExport(service, project.headers, "{", { "Content-Type": otlpTypes.json });
    const wrong = await sendJsonExport(service, project.headers, { resourceLogs: [] });
    const wrongType = await sendExport(service, project.headers, "x", { "Content-Type": "text/plain" });
    const grpc = await sendExport(service, project.headers, "x", { "Content-Type": "application/grpc+proto" });
    const badProject = await sendJsonExport(service, { ...project.headers, "X-Project-Name": "/" }, {});

    expect([broken, wrong, wrongType, grpc, badProject].map(({ status, bytes }) => [status, statusIn(bytes)])).toEqual([
      [400, { code: 3, message: "body: JSON decode error" }],
      [400, { code: 3, message: "body: Nothing is read: the body has no resourceSpans." }],
      [415, { code: 3, message: "The body must be of the type application/x-protobuf or application/json." }],
      [415, { code: 3, message: expect.stringContaining("OTEL_EXPORTER_OTLP_PROTOCOL=http/protobuf") as string }],
      [400, { code: 3, message: expect.stringContaining("header.X-Project-Name: ") as string }],
    ]);
  });

  test.each([
    ["/v1/traces/v1/traces", "OTEL_EXPORTER_OTLP_ENDPOINT to the base URL"],
    ["/v1/v1/logs", "OTEL_EXPORTER_OTLP_ENDPOINT to the base URL"],
    ["/api/public/otel", "/api/public/otel/v1/traces"],
    ["/opentelemetry.proto.collector.trace.v1.TraceService/Export", "OTEL_EXPORTER_OTLP_PROTOCOL=http/protobuf"],
  ])("at the wrong address %s is answered 404 with what to set", async (path, advice) => {
    const reply = await sendExport(service, project.headers, recorded, { "Content-Type": otlpTypes.protobuf }, path);

    expect([reply.status, reply.headers["x-amzn-errortype"]]).toEqual([404, undefined]);
    expect(statusIn(reply.bytes)).toMatchObject({
      code: "not_found",
      detail: expect.stringContaining(advice) as string,
    });
  });

  test("is answered 401 without a credential", async () => {
    const reply = await sendExport(service, clientWith(service, {}).headers, recorded);

    expect(reply.status).toBe(401);
  });

  test("is answered with an error when its gzip is cut off, inflates beyond the limit or is too large", async () => {
    const bomb = gzipSync(Buffer.alloc(64 * 1024 * 1024));
    const large = Buffer.alloc(5 * 1024 * 1024);

    const replies = [
      await sendGzip(service, project.headers, recorded, gzipSync(recorded).subarray(0, -20)),
      await sendGzip(service, project.headers, recorded, bomb),
      await sendGzip(service, project.headers, large),
      await sendExport(service, project.headers, large),
      await sendExport(service, project.headers, Buffer.alloc(64 * 1024 * 1024)),
    ];

    expect(replies.map(({ status }) => status)).toEqual([415, 413, 413, 413, 413]);
    expect(replies[2]?.bytes.toString()).toContain("lower OTEL_BSP_MAX_EXPORT_BATCH_SIZE, e.g. to 100.");
    const reply = await sendExport(service, project.headers, Buffer.alloc(4 * 1024 * 1024 + 1));
    expect([reply.status, reply.bytes.toString("latin1", 4)]).toEqual([
      413,
      "The body is larger than 4 MiB. Lower OTEL_BSP_MAX_EXPORT_BATCH_SIZE, e.g. to 100.",
    ]);
  });
});

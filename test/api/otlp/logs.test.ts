import { describe, expect, inject, test } from "vitest";
import { exportLogs } from "../../../lib/contract/otlp/export-logs.ts";
import { exportMetrics } from "../../../lib/contract/otlp/export-metrics.ts";
import { listTraceScores } from "../../../lib/contract/scores/trace-scores.ts";
import { getTrace, listTraces } from "../../../lib/contract/traces/traces.ts";
import { spanUuid } from "../../../lib/otlp/wire/span-ids.ts";
import { recorded } from "../../support/integrations.ts";
import { attributesOf, event } from "../../support/otlp/otlp-span.ts";
import { hexId, jsonExport, jsonSpan, otlpTypes, sendExport, sendJsonExport } from "../../support/otlp/otlp.ts";
import { type Client, newProject } from "../../support/service/client.ts";

const service = inject("service");

const protobuf = { "Content-Type": otlpTypes.protobuf };

const onlyTrace = async (project: Client) => {
  const { items } = await project.answer(listTraces);
  expect(items).toHaveLength(1);
  return project.answer(getTrace, { params: { trace_id: items[0]?.trace_id ?? "" } });
};

const messages = [
  { role: "system", content: "Be short." },
  { role: "user", content: "What is the weather in Paris?" },
];

describe.each(["messages", "details"])("%s that were captured as log events", (form) => {
  const logs = (project: Client) =>
    sendExport(service, project.headers, recorded(`${form}-logs.pb`), protobuf, exportLogs.path);
  const spans = (project: Client) => sendExport(service, project.headers, recorded(`${form}-spans.pb`), protobuf);

  test.each([
    ["before their span", [logs, spans]],
    ["after their span", [spans, logs]],
    ["both before and after it, twice", [logs, spans, logs, spans]],
  ])("belong to their span when they arrive %s", async (_when, deliveries) => {
    const project = newProject(service);

    const replies = [];
    for (const deliver of deliveries) replies.push(await deliver(project));
    const trace = await onlyTrace(project);

    expect(replies.map(({ status, bytes }) => [status, bytes.length])).toEqual(deliveries.map(() => [200, 0]));
    expect(trace).toMatchObject({ name: "chat gpt-5.4-mini", status: "COMPLETED", input: messages });
    expect(trace.spans).toMatchObject([
      {
        name: "chat gpt-5.4-mini",
        kind: "LLM",
        parent_span_id: null,
        model: "gpt-5.4-mini",
        input: messages,
        output: [{ role: "assistant", tool_calls: [{ function: { name: "get_weather" } }] }],
      },
    ]);
    expect(trace.spans[0]?.metadata).not.toHaveProperty(["otel.awaits_span"]);
    expect(trace.spans[0]?.metadata["otel.logs"]).toHaveLength(form === "messages" ? 3 : 1);
  });
});

const logRecord = (fields: object) => ({ timeUnixNano: "1795251600000000000", attributes: [], ...fields });
const text = (stringValue: string) => ({ stringValue });
const messageEvent = (name: string, content: string, ids: object, fields: object = {}) =>
  logRecord({
    eventName: name,
    body: { kvlistValue: { values: [{ key: "content", value: text(content) }] } },
    ...ids,
    ...fields,
  });
const exported = (logRecords: readonly unknown[]) => ({ resourceLogs: [{ scopeLogs: [{ logRecords }] }] });

test("evaluation results in events of spans and in log events are scores of their span, once", async () => {
  const project = newProject(service);
  const [traceId, spanId] = [hexId(16), hexId(8)];
  const name = "gen_ai.evaluation.result";
  const result = (fields: Readonly<Record<string, string | number>>) =>
    Object.fromEntries(Object.entries(fields).map(([key, value]) => [`gen_ai.evaluation.${key}`, value]));
  const relevance = { name: "Relevance", "score.value": 0.5, "score.label": "fair", explanation: "It is off topic." };
  const results = [
    relevance,
    { name: "Tone", "score.label": "polite" },
    { name: "Failed" },
    { "score.value": 1 },
    { name: "Text", "score.value": "NaN" },
  ].map(result);
  const spans = jsonExport([
    jsonSpan(traceId, spanId, { events: results.map((attributes) => event(name, attributes)) }),
  ]);
  const log = exported([
    logRecord({ eventName: name, traceId, spanId, attributes: attributesOf(result(relevance)) }),
    logRecord({
      eventName: name,
      traceId,
      spanId,
      attributes: attributesOf(result({ ...relevance, "score.value": -1 })),
    }),
  ]);

  for (let delivery = 0; delivery < 2; delivery += 1) {
    expect((await sendJsonExport(service, project.headers, spans)).bytes.toString()).toBe("{}");
    expect(await project.answer(exportLogs, { body: log })).toEqual({});
  }
  await sendJsonExport(service, project.headers, jsonExport([jsonSpan(traceId, hexId(8), { parentSpanId: spanId })]));
  const { items } = await project.answer(listTraceScores);

  const score = { span_id: spanUuid(traceId, spanId), source: "PROGRAMMATIC", status: "SUCCESS", stale: null };
  const relevanceScore = { ...score, name: "Relevance", data_type: "NUMERIC", reason: "It is off topic." };
  expect(items.toSorted((a, b) => `${a.name}${a.value}`.localeCompare(`${b.name}${b.value}`))).toMatchObject([
    { ...relevanceScore, value: "-1", metadata: { label: "fair", source: name } },
    { ...relevanceScore, value: "0.5" },
    { ...score, name: "Tone", data_type: "CATEGORICAL", value: "polite", reason: null },
  ]);
});

describe("log records", () => {
  test("create a placeholder span, in a running trace, until the span arrives", async () => {
    const project = newProject(service);
    const [traceId, spanId, parent] = [hexId(16), hexId(8), hexId(8)];
    await project.answer(exportLogs, {
      body: exported([messageEvent("gen_ai.user.message", "hi", { traceId, spanId })]),
    });
    const waiting = await onlyTrace(project);

    await sendJsonExport(service, project.headers, jsonExport([jsonSpan(traceId, parent, { name: "root" })]));
    await sendJsonExport(
      service,
      project.headers,
      jsonExport([jsonSpan(traceId, spanId, { parentSpanId: parent }, { "gen_ai.operation.name": "chat" })]),
    );
    const trace = await onlyTrace(project);

    expect(waiting).toMatchObject({
      name: "gen_ai.user.message",
      status: "RUNNING",
      input: [{ role: "user", content: "hi" }],
    });
    expect(waiting.spans).toMatchObject([{ kind: "LLM", metadata: { "otel.awaits_span": true } }]);
    expect(trace).toMatchObject({ name: "root", status: "COMPLETED" });
    expect(trace.spans.find(({ span_id }) => span_id === spanUuid(traceId, spanId))).toMatchObject({
      name: `span ${spanId}`,
      parent_span_id: spanUuid(traceId, parent),
      input: [{ role: "user", content: "hi" }],
    });
  });

  test("of several requests form one conversation, ordered by time", async () => {
    const project = newProject(service);
    const ids = { traceId: hexId(16), spanId: hexId(8) };
    const at = (second: number) => ({ timeUnixNano: `${1_795_251_600 + second}000000000` });
    const events = [
      messageEvent("gen_ai.assistant.message", "two", ids, at(2)),
      messageEvent("gen_ai.user.message", "one", ids, at(1)),
      messageEvent("gen_ai.user.message", "three", ids, at(3)),
    ];

    for (const event of events) await project.answer(exportLogs, { body: exported([event]) });

    expect((await onlyTrace(project)).spans).toMatchObject([
      { input: ["one", "two", "three"].map((content) => ({ content })), output: null },
    ]);
  });

  test("do not overwrite data of the span itself, or data that was set through the API", async () => {
    const project = newProject(service);
    const [traceId, spanId] = [hexId(16), hexId(8)];
    const attributes = {
      "gen_ai.operation.name": "chat",
      "gen_ai.input.messages": '[{"role":"user","content":"own"}]',
    };
    const event = messageEvent("gen_ai.user.message", "other", { traceId, spanId });

    await sendJsonExport(service, project.headers, jsonExport([jsonSpan(traceId, spanId, {}, attributes)]));
    await project.answer(exportLogs, { body: exported([event]) });

    expect((await onlyTrace(project)).spans).toMatchObject([{ input: [{ role: "user", content: "own" }] }]);
  });

  test("that are no events of a model call are not stored, and their exporter gets their number", async () => {
    const project = newProject(service);
    const ids = { traceId: hexId(16), spanId: hexId(8) };
    const records = [
      logRecord({ body: text("a line of a log"), ...ids }),
      logRecord({ eventName: "exception", ...ids }),
      messageEvent("gen_ai.user.message", "nobody's", {}),
      messageEvent("gen_ai.user.message", "no span's", { traceId: ids.traceId, spanId: "0000000000000000" }),
      messageEvent("gen_ai.user.message", "timeless", ids, { timeUnixNano: "0" }),
      messageEvent("gen_ai.user.message", "old", ids, { timeUnixNano: "1000000000" }),
    ];

    const { partialSuccess } = await project.answer(exportLogs, { body: exported(records) });

    expect(partialSuccess?.rejectedLogRecords).toBe("6");
    expect(partialSuccess?.errorMessage).toContain("Log records other than gen_ai events are not stored.");
    expect((await project.answer(listTraces)).total).toBe(0);
  });

  test("of more than a thousand for a span the first and the last are stored, in any order of arrival", async () => {
    const project = newProject(service);
    const ids = { traceId: hexId(16), spanId: hexId(8) };
    const event = (second: number) =>
      messageEvent("gen_ai.user.message", String(second), ids, { timeUnixNano: `${1_795_251_600 + second}000000000` });
    const batches = [
      Array.from({ length: 700 }, (_, at) => event(at + 600)),
      Array.from({ length: 700 }, (_, at) => event(at)),
    ];

    for (const batch of batches) await project.answer(exportLogs, { body: exported(batch) });

    const stored = Array.from({ length: 1000 }, (_, at) => ({ content: String(at < 500 ? at : at + 300) }));
    expect((await onlyTrace(project)).spans).toMatchObject([{ input: stored }]);
  });
});

describe("metrics", () => {
  test("are counted and reported as not stored, in both encodings", async () => {
    const project = newProject(service);
    const points = { dataPoints: [{}, { asInt: "3" }] };
    const body = { resourceMetrics: [{ scopeMetrics: [{ metrics: [{ sum: points }, { histogram: points }] }] }] };

    const reply = await project.answer(exportMetrics, { body });
    const binary = await sendExport(service, project.headers, recorded("metrics.pb"), protobuf, exportMetrics.path);

    expect(reply).toEqual({ partialSuccess: { rejectedDataPoints: "4", errorMessage: "Metrics are not stored." } });
    expect([binary.status, binary.headers["content-type"]]).toEqual([200, otlpTypes.protobuf]);
    expect(binary.bytes.toString("latin1")).toMatch(/Metrics are not stored\.$/u);
    expect(binary.bytes.subarray(0, 1)).toEqual(Buffer.from([0x0a]));
  });

  test("without any data points are all accepted", async () => {
    expect(await newProject(service).answer(exportMetrics, { body: {} })).toEqual({});
  });
});

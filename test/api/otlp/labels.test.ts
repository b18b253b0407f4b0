import { expect, inject, test } from "vitest";
import { exportLogs } from "../../../lib/contract/otlp/export-logs.ts";
import { listTraceScores } from "../../../lib/contract/scores/trace-scores.ts";
import { getTrace } from "../../../lib/contract/traces/traces.ts";
import { traceUuid } from "../../../lib/otlp/wire/span-ids.ts";
import { newProject } from "../../support/service/client.ts";
import { hexId, jsonExport, jsonSpan, otlpTypes, sendExport, sendJsonExport } from "../../support/otlp/otlp.ts";

const service = inject("service");
const project = newProject(service);
const long = (characters: number): string => "x".repeat(characters);
const cut = (characters: number): string => `${long(characters - 1)}…`;

type Values = Readonly<Record<string, unknown>>;
const attributes = (values: Values) => Object.entries(values).map(([key, value]) => ({ key, value }));

/** Sends a span with attributes, of a resource with others. Returns the reply and the stored trace. */
const sendSpan = async (values: Values, resource: Values = {}, fields: Values = {}) => {
  const traceId = hexId(16);
  const [sent] = jsonExport([
    { ...jsonSpan(traceId, hexId(8)), attributes: attributes(values), ...fields },
  ]).resourceSpans;
  const reply = await sendJsonExport(service, project.headers, {
    resourceSpans: [{ ...sent, resource: { attributes: attributes(resource) } }],
  });
  const trace = await project.answer(getTrace, { params: { trace_id: traceUuid(traceId) } });
  return { answer: JSON.parse(reply.bytes.toString()) as unknown, trace };
};

test("numbers and booleans of spans and resources are labels and tags", async () => {
  const list = { arrayValue: { values: [{ stringValue: "vip" }, { intValue: "7" }, { boolValue: true }] } };

  const { answer, trace } = await sendSpan(
    { "session.id": { intValue: "12345" }, "user.id": { boolValue: false }, "tag.tags": list },
    { "service.version": { doubleValue: 3 }, "deployment.environment.name": { boolValue: true } },
  );

  expect(answer).toEqual({});
  expect(trace).toMatchObject({
    session_id: "12345",
    user_id: "false",
    tags: ["7", "true", "vip"],
    release: "3",
    environment: "true",
  });
});

test("labels, names and tags that are too long are cut and named", async () => {
  const text = (characters: number) => ({ stringValue: long(characters) });

  const { answer, trace } = await sendSpan(
    { "session.id": text(256), "user.id": text(255), "gen_ai.request.model": text(300), "tag.tags": text(400) },
    { "service.version": text(300) },
    { name: long(513) },
  );

  expect(trace).toMatchObject({
    name: cut(512),
    session_id: cut(255),
    user_id: long(255),
    release: cut(255),
    tags: [cut(255)],
    spans: [{ name: cut(512), model: cut(255) }],
  });
  expect(answer).toEqual({
    partialSuccess: {
      rejectedSpans: "0",
      errorMessage: "Cut to 255 characters: release, model, session_id, tags. Cut to 512 characters: name.",
    },
  });
});

test("more than 100 tags are named", async () => {
  const { answer, trace } = await sendSpan({
    "tag.tags": { stringValue: Array.from({ length: 101 }, (_, index) => `t${index}`).join(",") },
  });

  expect(trace.tags).toHaveLength(100);
  expect(answer).toMatchObject({ partialSuccess: { errorMessage: "Of a trace's tags 100 are kept." } });
});

test("texts of an evaluation result that are too long are cut and named", async () => {
  const traceId = hexId(16);
  const record = {
    eventName: "gen_ai.evaluation.result",
    timeUnixNano: "1795251600000000000",
    traceId,
    spanId: hexId(8),
    attributes: attributes({
      "gen_ai.evaluation.name": { stringValue: long(2_000) },
      "gen_ai.evaluation.score.value": { doubleValue: 1 },
      "gen_ai.evaluation.explanation": { stringValue: long(17_000) },
    }),
  };

  const reply = await sendExport(
    service,
    project.headers,
    JSON.stringify({ resourceLogs: [{ scopeLogs: [{ logRecords: [record] }] }] }),
    { "Content-Type": otlpTypes.json },
    exportLogs.path,
  );
  const { items } = await project.answer(listTraceScores, { query: { trace_id: traceUuid(traceId) } });

  expect(JSON.parse(reply.bytes.toString())).toMatchObject({
    partialSuccess: {
      rejectedLogRecords: "0",
      errorMessage: "Cut to 1024 characters: evaluation.name. Cut to 16384 characters: evaluation.explanation.",
    },
  });
  expect(items).toMatchObject([{ name: cut(1_024), reason: cut(16_384) }]);
});

import { expect, inject, test } from "vitest";
import { getTrace, listTraces } from "../../../lib/contract/traces/traces.ts";
import { traceUuid } from "../../../lib/otlp/wire/span-ids.ts";
import { type Client, newProject } from "../../support/service/client.ts";
import { type ExportReply, hexId, jsonExport, jsonSpan, sendJsonExport } from "../../support/otlp/otlp.ts";

const service = inject("service");

/** Exports a body, again as long as the service asks for a retry, as exporters do. */
const exportWithRetries = async (project: Client, body: unknown): Promise<ExportReply> => {
  for (;;) {
    const reply = await sendJsonExport(service, project.headers, body);
    if (reply.status !== 503) return reply;
    expect(Number(reply.headers["retry-after"])).toBeGreaterThanOrEqual(1);
  }
};

test("spans that twenty exporters send at once, every request twice, form one trace with each span once", async () => {
  const project = newProject(service);
  const [traceId, root] = [hexId(16), hexId(8)];
  const usage = [
    { key: "gen_ai.operation.name", value: { stringValue: "chat" } },
    { key: "gen_ai.usage.input_tokens", value: { intValue: "10" } },
    { key: "gen_ai.usage.cost", value: { doubleValue: 0.25 } },
  ];
  const totals = [
    { key: "gen_ai.operation.name", value: { stringValue: "invoke_agent" } },
    { key: "gen_ai.usage.input_tokens", value: { intValue: "600" } },
    { key: "gen_ai.usage.cost", value: { doubleValue: 15 } },
  ];
  const children = Array.from({ length: 60 }, () =>
    jsonSpan(traceId, hexId(8), { parentSpanId: root, startTimeUnixNano: "1795251600500000000", attributes: usage }),
  );
  const spans = [...children, jsonSpan(traceId, root, { name: "root", attributes: totals })];
  const requests = Array.from({ length: 20 }, (_, writer) =>
    jsonExport(spans.filter((_span, index) => index % 20 === writer)),
  );

  const replies = await Promise.all([...requests, ...requests].map((body) => exportWithRetries(project, body)));
  const trace = await project.answer(getTrace, { params: { trace_id: traceUuid(traceId) } });
  const { items } = await project.answer(listTraces);

  expect(replies.map(({ status }) => status)).toEqual(replies.map(() => 200));
  expect(new Set(trace.spans.map(({ span_id }) => span_id)).size).toBe(61);
  expect(trace).toMatchObject({ name: "root", status: "COMPLETED", started_at: "2026-11-21T09:00:00.000000+00:00" });
  expect(items).toMatchObject([{ span_count: 61, total_tokens: 600, total_cost: 15 }]);
});

test("a trace accepts 10,000 spans, its root last, and reports how many more were not stored", async () => {
  const project = newProject(service);
  const [traceId, root] = [hexId(16), hexId(8)];
  const usage = [
    { key: "gen_ai.operation.name", value: { stringValue: "chat" } },
    { key: "gen_ai.usage.output_tokens", value: { intValue: "3" } },
    { key: "gen_ai.usage.cost", value: { doubleValue: 0.001 } },
  ];
  const children = Array.from({ length: 9_999 }, () =>
    jsonSpan(traceId, hexId(8), { parentSpanId: root, attributes: usage }),
  );
  const spans = [...children, jsonSpan(traceId, root, { name: "root" })];

  for (let offset = 0; offset < spans.length; offset += 2_500) {
    const batch = jsonExport(spans.slice(offset, offset + 2_500));
    expect((await sendJsonExport(service, project.headers, batch)).bytes.toString()).toBe("{}");
  }
  const repeatReply = await sendJsonExport(service, project.headers, jsonExport(spans.slice(-10)));
  const surplusExport = jsonExport(Array.from({ length: 200 }, () => jsonSpan(traceId, hexId(8))));
  const beyond = await sendJsonExport(service, project.headers, surplusExport);
  const mixed = jsonExport([jsonSpan(hexId(16), hexId(8)), jsonSpan(traceId, hexId(8))]);
  const partly = await sendJsonExport(service, project.headers, mixed);
  const { items } = await project.answer(listTraces);
  const large = items.find(({ trace_id: id }) => id === traceUuid(traceId));

  expect(
    [repeatReply, beyond, partly].map(({ status, bytes }): unknown => [status, JSON.parse(bytes.toString())]),
  ).toEqual([
    [200, {}],
    [200, { partialSuccess: { rejectedSpans: "200", errorMessage: "A trace has at most 10000 spans." } }],
    [200, { partialSuccess: { rejectedSpans: "1", errorMessage: "A trace has at most 10000 spans." } }],
  ]);
  expect(items.map(({ span_count }) => span_count).toSorted((a, b) => a - b)).toEqual([1, 10_000]);
  expect(large).toMatchObject({ name: "root", status: "COMPLETED", total_tokens: 29_997, total_cost: 9.999 });
});

import { describe, expect, inject, test } from "vitest";
import { getSession } from "../../../lib/contract/sessions/sessions.ts";
import { getSpan, getTrace, listTraces } from "../../../lib/contract/traces/traces.ts";
import { spanUuid, traceUuid } from "../../../lib/otlp/wire/span-ids.ts";
import { newProject } from "../../support/service/client.ts";
import { hexId, jsonExport, jsonSpan, sendJsonExport } from "../../support/otlp/otlp.ts";

const service = inject("service");

describe("exported spans", () => {
  test("form a trace whose ids have the same digits", async () => {
    const project = newProject(service);
    const [traceId, root, child] = [hexId(16), hexId(8), hexId(8)];
    const spans = [
      jsonSpan(
        traceId,
        child,
        { parentSpanId: root, startTimeUnixNano: "1795251600250000000" },
        { "gen_ai.operation.name": "chat" },
      ),
      jsonSpan(
        traceId,
        root,
        { name: "invoke_agent support" },
        { "gen_ai.conversation.id": "chat-7", "user.id": "u-1", colour: "blue" },
      ),
    ];

    const reply = await sendJsonExport(
      service,
      project.headers,
      jsonExport(spans, { "service.name": "shop", "service.version": "1.2", "deployment.environment.name": "prod" }),
    );
    const trace = await project.answer(getTrace, { params: { trace_id: traceUuid(traceId) } });

    expect([reply.status, reply.bytes.toString()]).toEqual([200, "{}"]);
    expect(trace).toMatchObject({
      trace_id: traceUuid(traceId),
      name: "invoke_agent support",
      status: "COMPLETED",
      started_at: "2026-11-21T09:00:00.000000+00:00",
      ended_at: "2026-11-21T09:00:01.000000+00:00",
      session_id: "chat-7",
      user_id: "u-1",
      environment: "prod",
      release: "1.2",
      metadata: { "otel.trace_id": traceId },
    });
    expect(trace.spans).toMatchObject([
      { span_id: spanUuid(traceId, root), parent_span_id: null, metadata: { "otel.span_id": root, colour: "blue" } },
      { span_id: spanUuid(traceId, child), parent_span_id: spanUuid(traceId, root), kind: "LLM" },
    ]);
  });

  test("tell of a child whose clock differs, and name their trace in each of its sessions", async () => {
    const project = newProject(service);
    const [traceId, root, child] = [hexId(16), hexId(8), hexId(8)];
    const [trace_id, span_id] = [traceUuid(traceId), spanUuid(traceId, child)];
    const sevenHoursEarlier = { parentSpanId: root, startTimeUnixNano: "1795226400000000000" };
    const spans = [
      jsonSpan(traceId, root, {}, { "session.id": "one" }),
      jsonSpan(
        traceId,
        child,
        { ...sevenHoursEarlier, endTimeUnixNano: "1795226401000000000" },
        { "session.id": "two" },
      ),
    ];

    await sendJsonExport(service, project.headers, jsonExport(spans));
    const trace = await project.answer(getTrace, { params: { trace_id } });
    const span = await project.answer(getSpan, { params: { trace_id, span_id } });
    const session = await project.answer(getSession, { params: { session_id: "two" } });

    expect(trace).toMatchObject({ started_at: "2026-11-21T09:00:00.000000+00:00", session_id: "one" });
    expect(trace.spans.map(({ clock }) => clock)).toEqual(["outside", undefined]);
    expect(span).toMatchObject({ clock: "outside" });
    expect(session).toMatchObject({ trace_count: 0, shared_traces: [trace_id], traces: [] });
  });

  test("tell the trace's prompts and experiment, also when they arrive late", async () => {
    const project = newProject(service);
    const [traceId, root] = [hexId(16), hexId(8)];
    const experiment = { "langfuse.experiment.name": "nightly", "langfuse.experiment.item.id": "item-7" };
    const prompt = (version: string) => ({
      "langfuse.observation.prompt.name": "greet",
      "langfuse.observation.prompt.version": version,
    });
    const send = (id: string, fields: Readonly<Record<string, string>>, attributes: Readonly<Record<string, string>>) =>
      sendJsonExport(service, project.headers, jsonExport([jsonSpan(traceId, id, fields, attributes)]));
    const first = { name: "greet", version: "3" };

    await send(root, {}, { ...experiment, ...prompt("3") });
    const { items: before } = await project.answer(listTraces);
    await send(hexId(8), { parentSpanId: root, startTimeUnixNano: "1795251600250000000" }, prompt("10"));
    const query = { prompt_name: "greet", prompt_version: "3", experiment: "nightly", experiment_item_id: "item-7" };
    const { items: after } = await project.answer(listTraces, { query });
    const trace = await project.answer(getTrace, { params: { trace_id: traceUuid(traceId) } });

    const provenance = { experiment: "nightly", experiment_item_id: "item-7" };
    expect(before).toMatchObject([{ ...provenance, prompts: [first] }]);
    for (const item of [after[0], trace])
      expect(item).toMatchObject({ ...provenance, prompts: [{ name: "greet", version: "10" }, first] });
    expect((await project.answer(listTraces, { query: { ...query, prompt_version: "4" } })).items).toEqual([]);
  });

  test("form a running trace until the root span arrives", async () => {
    const project = newProject(service);
    const [traceId, root, child] = [hexId(16), hexId(8), hexId(8)];
    const lateSpan = { parentSpanId: root, name: "late", startTimeUnixNano: "1795251600500000000" };
    await sendJsonExport(service, project.headers, jsonExport([jsonSpan(traceId, child, lateSpan)]));
    const params = { trace_id: traceUuid(traceId) };
    const before = await project.answer(getTrace, { params });

    await sendJsonExport(service, project.headers, jsonExport([jsonSpan(traceId, root, { status: { code: 2 } })]));
    await sendJsonExport(service, project.headers, jsonExport([jsonSpan(traceId, child, lateSpan)]));
    const [after, { items }] = [await project.answer(getTrace, { params }), await project.answer(listTraces)];

    expect(before).toMatchObject({
      name: "late",
      status: "RUNNING",
      started_at: "2026-11-21T09:00:00.500000+00:00",
      ended_at: null,
    });
    expect(after).toMatchObject({
      name: `span ${root}`,
      status: "ERROR",
      started_at: "2026-11-21T09:00:00.000000+00:00",
    });
    expect(after.spans).toHaveLength(2);
    expect(items).toHaveLength(1);
  });
});

import { ROOT_CONTEXT, trace, type Tracer } from "@opentelemetry/api";
import { OTLPTraceExporter as JsonExporter } from "@opentelemetry/exporter-trace-otlp-http";
import { OTLPTraceExporter as ProtobufExporter } from "@opentelemetry/exporter-trace-otlp-proto";
import { BatchSpanProcessor, TracerProvider } from "@opentelemetry/sdk-trace";
import { expect, inject, onTestFinished, test, vi } from "vitest";
import { getSession } from "../../../lib/contract/sessions/sessions.ts";
import { createTraceBatchRun, listTraceRunScores } from "../../../lib/contract/runs/trace-runs.ts";
import { getTrace } from "../../../lib/contract/traces/traces.ts";
import { traceUuid } from "../../../lib/otlp/wire/span-ids.ts";
import { newProject } from "../../support/service/client.ts";
import { endedRun } from "../../support/runs/ended-run.ts";
import { eventually } from "../../support/service/local-fixture.ts";

const service = inject("service");

/** An agent that calls a model five times. @returns the trace's id. */
const run = (tracer: Tracer): string => {
  const root = tracer.startSpan("invoke_agent shop", {
    attributes: {
      "gen_ai.operation.name": "invoke_agent",
      "session.id": "chat-9",
      "input.value": "Where is my order 1042?",
      "output.value": "It arrives tomorrow.",
    },
  });
  for (let turn = 0; turn < 5; turn += 1) {
    const attributes = { "gen_ai.operation.name": "chat", "gen_ai.usage.input_tokens": 7, "gen_ai.request.model": "m" };
    tracer.startSpan(`chat ${turn}`, { attributes }, trace.setSpan(ROOT_CONTEXT, root)).end();
  }
  root.end();
  return root.spanContext().traceId;
};

/** Sets the environment variables that configure an instrumented program. */
const configure = (settings: Readonly<Record<string, string>>): void => {
  for (const [name, value] of Object.entries(settings)) vi.stubEnv(`OTEL_EXPORTER_OTLP_${name}`, value);
  onTestFinished(() => void vi.unstubAllEnvs());
};

test.each([
  ["protobuf and gzip", ProtobufExporter, "gzip"],
  ["JSON", JsonExporter, "none"],
])(
  "a program that exports in %s in batches creates a trace and a session that can be evaluated",
  async (_, Exporter, compression) => {
    const project = newProject(service);
    configure({
      ENDPOINT: service.baseUrl,
      HEADERS: Object.entries(project.headers)
        .map(([name, value]) => `${name}=${String(value)}`)
        .join(","),
      COMPRESSION: compression,
    });
    const exporter = new Exporter();
    const tracers = new TracerProvider({
      spanProcessors: [new BatchSpanProcessor({ exporter, maxExportBatchSize: 2 })],
    });

    const traceId = run(tracers.getTracer("agent"));
    await tracers.forceFlush();
    await tracers.shutdown();
    const trace_id = traceUuid(traceId);
    const trace = await project.answer(getTrace, { params: { trace_id } });
    const session = await eventually(async () => {
      const { status, body } = await project.call(getSession, { params: { session_id: "chat-9" } });
      return status === 200 ? body : undefined;
    });
    const batch = { trace_ids: [trace_id], metrics: ["task_completion"] };
    const { id } = await project.answer(createTraceBatchRun, { body: batch });
    await endedRun(project, { id });
    const scores = await project.answer(listTraceRunScores, { params: { run_id: id } });

    expect(trace).toMatchObject({
      name: "invoke_agent shop",
      status: "COMPLETED",
      input: "Where is my order 1042?",
      output: "It arrives tomorrow.",
      total_tokens: 35,
    });
    expect(trace.spans.map(({ kind }) => kind).toSorted()).toEqual(["AGENT", "LLM", "LLM", "LLM", "LLM", "LLM"]);
    expect(session).toMatchObject({ session_id: "chat-9", trace_count: 1 });
    expect(scores).toMatchObject([{ trace_id, status: "SUCCESS" }]);
  },
);

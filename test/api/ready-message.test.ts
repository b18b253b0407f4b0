import { randomUUID } from "node:crypto";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-proto";
import { BatchSpanProcessor, TracerProvider } from "@opentelemetry/sdk-trace";
import { expect, inject, onTestFinished, test, vi } from "vitest";
import { readyMessage } from "../../infra/local/ready-message.ts";
import { getTrace } from "../../lib/contract/traces/traces.ts";
import { traceUuid } from "../../lib/otlp/wire/span-ids.ts";
import { clientWith } from "../support/service/client.ts";

const service = inject("service");
const { apiKey, bearerToken, projectId } = service.tenant;

test("the variables that npm start prints are enough for an instrumented program", async () => {
  const projectName = `test-${randomUUID()}`;
  const message = readyMessage({
    baseUrl: service.baseUrl,
    credentials: { apiKey, projectName, projectId, organizationId: "", userId: "" },
    bearerToken,
    consoleAddress: "",
    directory: "",
    judgeModel: "",
    now: new Date(),
  });
  for (const [, settings = ""] of message.matchAll(/export (.*)/g)) {
    for (const [, name = "", value = ""] of settings.matchAll(/(\w+)=(\S+)/g)) vi.stubEnv(name, value);
  }
  onTestFinished(() => void vi.unstubAllEnvs());
  const exporter = new OTLPTraceExporter();
  const tracers = new TracerProvider({ spanProcessors: [new BatchSpanProcessor({ exporter })] });

  const span = tracers.getTracer("agent").startSpan("greeting");
  span.end();
  await tracers.shutdown();
  const client = clientWith(service, { "X-API-Key": apiKey, "X-Project-Name": projectName });
  const trace_id = traceUuid(span.spanContext().traceId);

  expect(await client.answer(getTrace, { params: { trace_id } })).toMatchObject({ name: "greeting" });
});

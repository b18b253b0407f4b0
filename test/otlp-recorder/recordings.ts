import { mkdirSync, writeFileSync } from "node:fs";
import { buffer } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { gunzipSync } from "node:zlib";
import { LegacyOpenTelemetry, OpenTelemetry } from "@ai-sdk/otel";
import { OpenAIInstrumentation as OpenInference } from "@arizeai/openinference-instrumentation-openai";
import { context, type TracerProvider as Tracers } from "@opentelemetry/api";
import { OTLPTraceExporter as JsonExporter } from "@opentelemetry/exporter-trace-otlp-http";
import { OTLPTraceExporter as ProtobufExporter } from "@opentelemetry/exporter-trace-otlp-proto";
import { BatchSpanProcessor, TracerProvider } from "@opentelemetry/sdk-trace";
import { OpenAIInstrumentation as Traceloop } from "@traceloop/instrumentation-openai";
import * as openai from "openai";
import { agentWithBrokenTool, agentWithoutModel, streamingAgent } from "./ai-sdk-agent.ts";
import { AsyncContext } from "./async-context.ts";
import { fakeModel } from "./fake-model.ts";
import { genAiSpans } from "./gen-ai-spans.ts";
import { localServer } from "./local-server.ts";
import { openAiAgent } from "./openai-agent.ts";

/**
 * Records what real exporters and instrumentations send: `node test/otlp-recorder/record.ts`. A small agent asks a fake
 * local model about an order, once for each instrumentation; the bytes go to `test/fixtures/otlp/`. Names after the
 * command select fixtures. With `OTEL_EXPORTER_OTLP_ENDPOINT` and `_HEADERS` the agents export to that service instead.
 * Three fixtures were recorded once in the same way with packages that are not dependencies: `traceloop-sdk` with
 * `@traceloop/node-server-sdk` 0.27.0, `traceloop-openai-0.14` with `@traceloop/instrumentation-openai` 0.14.0 and
 * `openinference-core` with `@arizeai/openinference-core` 2.7.1.
 */

const folder = fileURLToPath(new URL("../fixtures/otlp/", import.meta.url));

const tracerOf = (tracers: Tracers) => tracers.getTracer("shop-agent", "1.4.0");

/** The common part of the instrumentations of the `openai` package. */
interface OpenAiInstrumentation {
  readonly setTracerProvider: (provider: TracerProvider) => void;
  readonly manuallyInstrument: (module: typeof openai.OpenAI) => void;
  readonly disable: () => void;
}

/** Runs the agent with an instrumented `openai` client. */
const instrumentedAgent = async (
  instrumentation: OpenAiInstrumentation,
  tracers: TracerProvider,
  baseURL: string,
): Promise<void> => {
  instrumentation.setTracerProvider(tracers);
  instrumentation.manuallyInstrument(openai.OpenAI);
  await openAiAgent(new openai.OpenAI({ apiKey: "none", baseURL }), tracerOf(tracers));
  instrumentation.disable();
};

/** Agents by fixture name, each called with the provider's address. */
const agents: Readonly<Record<string, (tracers: TracerProvider, url: string) => Promise<void>>> = {
  "openinference-openai": (tracers, url) => instrumentedAgent(new OpenInference(), tracers, url),
  "traceloop-openai": (tracers, url) => instrumentedAgent(new Traceloop(), tracers, url),
  "opentelemetry-sdk": (tracers) => {
    genAiSpans(tracerOf(tracers));
    return Promise.resolve();
  },
  "ai-sdk": (tracers, url) => streamingAgent(url, aiSdk(tracers)),
  "ai-sdk-broken-tool": (tracers, url) => agentWithBrokenTool(url, aiSdk(tracers)),
  "ai-sdk-missing-model": (tracers, url) => agentWithoutModel(url, aiSdk(tracers)),
  "ai-sdk-legacy": (tracers, url) => streamingAgent(url, new LegacyOpenTelemetry({ tracer: tracerOf(tracers) })),
};

const aiSdk = (tracers: Tracers): OpenTelemetry =>
  new OpenTelemetry({ tracer: tracerOf(tracers), usage: true, runtimeContext: true });

/** Runs an agent with spans exported in batches. */
const exported = async (
  exporters: readonly (ProtobufExporter | JsonExporter)[],
  run: (tracers: TracerProvider) => Promise<void>,
): Promise<void> => {
  const tracers = new TracerProvider({
    spanProcessors: exporters.map((exporter) => new BatchSpanProcessor({ exporter })),
  });
  await run(tracers);
  await tracers.forceFlush();
  await tracers.shutdown();
};

const main = async (): Promise<void> => {
  const elsewhere = process.env["OTEL_EXPORTER_OTLP_ENDPOINT"] !== undefined;
  const fixtureNames = process.argv.slice(2);
  // Stack traces would put local paths into the fixtures.
  Error.stackTraceLimit = 0;
  context.setGlobalContextManager(new AsyncContext());
  mkdirSync(folder, { recursive: true });
  const received: { readonly ending: string; readonly bytes: Buffer }[] = [];
  const collector = await localServer(async (request, response) => {
    const bytes = await buffer(request);
    const { "content-encoding": encoding, "content-type": type = "" } = request.headers;
    const ending = type === "application/json" ? "json" : "pb";
    received.push({ ending, bytes: encoding === "gzip" ? gunzipSync(bytes) : bytes });
    response.writeHead(200, { "content-type": type }).end();
  });
  const provider = await localServer(fakeModel);
  const recorder = { url: `${collector.url}/v1/traces` };

  for (const [name, agent] of Object.entries(agents)) {
    if (fixtureNames.length > 0 && !fixtureNames.includes(name)) continue;
    const json = name === "opentelemetry-sdk" ? [new JsonExporter(recorder)] : [];
    const exporters = elsewhere ? [new ProtobufExporter()] : [new ProtobufExporter(recorder), ...json];
    await exported(exporters, (tracers) => agent(tracers, `${provider.url}/v1`));
    for (const { ending, bytes } of received.splice(0)) writeFileSync(`${folder}${name}.${ending}`, bytes);
    console.log(`${name}: ${elsewhere ? "exported" : "recorded"}`);
  }
  collector.server.close();
  provider.server.close();
};

await main();

import { AsyncLocalStorage } from "node:async_hooks";
import { mkdirSync, writeFileSync } from "node:fs";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer, json } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { gunzipSync } from "node:zlib";
import {
  context,
  type Context,
  type ContextManager,
  ROOT_CONTEXT,
  SpanStatusCode,
  trace,
  type Tracer,
} from "@opentelemetry/api";
import { OTLPTraceExporter as JsonExporter } from "@opentelemetry/exporter-trace-otlp-http";
import { OTLPTraceExporter as ProtobufExporter } from "@opentelemetry/exporter-trace-otlp-proto";
import { BatchSpanProcessor, TracerProvider, type SpanExporter } from "@opentelemetry/sdk-trace";
import { OpenAIInstrumentation as OpenInference } from "@arizeai/openinference-instrumentation-openai";
import { OpenAIInstrumentation as Traceloop } from "@traceloop/instrumentation-openai";
import * as openai from "openai";

/**
 * Records what real exporters and instrumentations send: `node scripts/record-otlp.ts`. A small agent asks a model (a fake
 * on this machine) about an order, once for each instrumentation; the bytes go to `test/fixtures/otlp/`.
 */

const folder = fileURLToPath(new URL("../test/fixtures/otlp/", import.meta.url));

/** Follows calls through promises; the API alone has no context. */
class AsyncContext implements ContextManager {
  readonly #storage = new AsyncLocalStorage<Context>();
  active = (): Context => this.#storage.getStore() ?? ROOT_CONTEXT;
  with: ContextManager["with"] = (held, run, self, ...given) => this.#storage.run(held, () => run.apply(self, given));
  bind: ContextManager["bind"] = (_held, target) => target;
  enable = (): this => this;
  disable = (): this => this;
}

const serve = async (
  answer: (request: IncomingMessage, response: ServerResponse) => Promise<void>,
): Promise<[Server, string]> => {
  const server = createServer((request, response) => void answer(request, response));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- it listens on a port.
  return [server, `http://127.0.0.1:${(server.address() as AddressInfo).port}`];
};

const failure = "The order system does not answer.";
const question = "Where is my order 1042?";
const lookup = {
  name: "lookup_order",
  description: "Finds an order",
  parameters: { type: "object", properties: { order: { type: "integer" } }, required: ["order"] },
};
const tools = [{ type: "function" as const, function: lookup }];

const usage = {
  prompt_tokens: 60,
  completion_tokens: 20,
  total_tokens: 80,
  prompt_tokens_details: { cached_tokens: 16 },
  completion_tokens_details: { reasoning_tokens: 8 },
};

/** The model asks for the tool once, then answers. */
const model = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- sent by the clients below.
  const { messages } = (await json(request)) as { messages: { role: string }[] };
  const told = messages.some(({ role }) => role === "tool");
  const call = { id: "call_1", type: "function", function: { name: "lookup_order", arguments: '{"order":1042}' } };
  const message = told
    ? { role: "assistant", content: "It left our warehouse and arrives tomorrow." }
    : { role: "assistant", content: null, tool_calls: [call] };
  response.writeHead(200, { "content-type": "application/json" }).end(
    JSON.stringify({
      id: "chatcmpl-1",
      object: "chat.completion",
      created: 1_795_251_600,
      model: "gpt-5.4-mini-2026-03-17",
      choices: [{ index: 0, finish_reason: told ? "stop" : "tool_calls", message }],
      usage,
    }),
  );
};

/** An agent of two model calls and a tool; the tool fails where that is asked for. */
const agent = async (client: openai.OpenAI, tracer: Tracer, toolFails: boolean): Promise<void> => {
  const messages: openai.OpenAI.ChatCompletionMessageParam[] = [
    { role: "system", content: "You answer customers of a shop." },
    { role: "user", content: question },
  ];
  const ask = () => client.chat.completions.create({ model: "gpt-5.4-mini", temperature: 0.2, messages, tools });
  await tracer.startActiveSpan("answer_customer", async (root) => {
    root.setAttributes({ "session.id": "chat-7", "user.id": "customer-12", "shop.branch": "north" });
    const [choice] = (await ask()).choices;
    if (choice !== undefined) messages.push(choice.message);
    await tracer.startActiveSpan("lookup_order", async (span) => {
      if (toolFails) {
        span.recordException({
          name: "TypeError",
          message: failure,
          stack: `TypeError: ${failure}\n    at lookup (shop.ts:12:3)`,
        });
        span.setStatus({ code: SpanStatusCode.ERROR, message: "no answer" });
      }
      span.end();
      return Promise.resolve();
    });
    messages.push({ role: "tool", tool_call_id: "call_1", content: '{"state":"shipped"}' });
    await ask();
    root.end();
  });
};

/** Spans that a program makes itself, in the GenAI conventions. */
const byHand = (tracer: Tracer): void => {
  const begun = Date.now();
  /** Seconds after the beginning. */
  const at = (seconds: number): number => begun + seconds * 1000;
  const root = tracer.startSpan("invoke_agent shop", {
    startTime: at(0),
    attributes: {
      "gen_ai.operation.name": "invoke_agent",
      "gen_ai.agent.name": "shop",
      "gen_ai.conversation.id": "chat-7",
    },
  });
  const inside = trace.setSpan(ROOT_CONTEXT, root);
  const asked = [{ role: "user", parts: [{ type: "text", content: question }] }];
  const call = { type: "tool_call", id: "call_1", name: "lookup_order", arguments: { order: 1042 } };
  const attributes = {
    "gen_ai.operation.name": "chat",
    "gen_ai.provider.name": "openai",
    "gen_ai.request.model": "gpt-5.4-mini",
    "gen_ai.request.temperature": 0.2,
    "gen_ai.system_instructions": JSON.stringify([{ type: "text", content: "You answer customers of a shop." }]),
    "gen_ai.input.messages": JSON.stringify(asked),
    "gen_ai.output.messages": JSON.stringify([{ role: "assistant", parts: [call], finish_reason: "tool_call" }]),
    "gen_ai.tool.definitions": JSON.stringify([{ type: "function", ...lookup }]),
    "gen_ai.usage.input_tokens": 60,
    "gen_ai.usage.output_tokens": 20,
    "gen_ai.usage.cache_read.input_tokens": 16,
    "gen_ai.usage.reasoning.output_tokens": 8,
  };
  tracer.startSpan("chat gpt-5.4-mini", { attributes, startTime: at(0.5) }, inside).end(at(1));
  const tool = {
    "gen_ai.operation.name": "execute_tool",
    "gen_ai.tool.name": "lookup_order",
    "gen_ai.tool.call.id": "call_1",
    "gen_ai.tool.call.arguments": JSON.stringify({ order: 1042 }),
    "gen_ai.tool.call.result": JSON.stringify({ state: "shipped" }),
  };
  tracer.startSpan("execute_tool lookup_order", { attributes: tool, startTime: at(1) }, inside).end(at(1.5));
  const events = tracer.startSpan(
    "chat gpt-5.4-mini",
    { attributes: { "gen_ai.operation.name": "chat" }, startTime: at(2) },
    inside,
  );
  events.addEvent("gen_ai.user.message", { content: question });
  events.addEvent("gen_ai.tool.message", { id: "call_1", content: '{"state":"shipped"}' });
  events.addEvent("gen_ai.choice", {
    index: 0,
    finish_reason: "stop",
    message: JSON.stringify({ role: "assistant", content: "It left our warehouse and arrives tomorrow." }),
  });
  events.end(at(2.5));
  root.end(at(3));
};

const main = async (): Promise<void> => {
  context.setGlobalContextManager(new AsyncContext());
  mkdirSync(folder, { recursive: true });
  const received: { readonly type: string; readonly bytes: Buffer }[] = [];
  const [collector, collectorUrl] = await serve(async (request, response) => {
    const bytes = await buffer(request);
    const { "content-encoding": encoding, "content-type": type = "" } = request.headers;
    received.push({ type, bytes: encoding === "gzip" ? gunzipSync(bytes) : bytes });
    response.writeHead(200, { "content-type": type }).end();
  });
  const [provider, providerUrl] = await serve(model);
  const url = `${collectorUrl}/v1/traces`;

  const record = async (
    name: string,
    exporters: readonly SpanExporter[],
    run: (tracers: TracerProvider) => Promise<void>,
  ) => {
    const spanProcessors = exporters.map((exporter) => new BatchSpanProcessor({ exporter }));
    const tracers = new TracerProvider({ spanProcessors });
    await run(tracers);
    await tracers.forceFlush();
    await tracers.shutdown();
    for (const { type, bytes } of received.splice(0)) {
      writeFileSync(`${folder}${name}.${type === "application/json" ? "json" : "pb"}`, bytes);
    }
    console.log(`${name}: recorded`);
  };

  const withOpenAi = (instrument: (tracers: TracerProvider) => void) => async (tracers: TracerProvider) => {
    instrument(tracers);
    const client = new openai.OpenAI({ apiKey: "none", baseURL: `${providerUrl}/v1` });
    await agent(client, tracers.getTracer("shop-agent", "1.4.0"), true);
  };

  const openInference = new OpenInference();
  const inOpenInference = withOpenAi((tracers) => {
    openInference.setTracerProvider(tracers);
    openInference.manuallyInstrument(openai.OpenAI);
  });
  await record("openinference-openai", [new ProtobufExporter({ url })], inOpenInference);
  openInference.disable();

  const traceloop = new Traceloop();
  const inTraceloop = withOpenAi((tracers) => {
    traceloop.setTracerProvider(tracers);
    traceloop.manuallyInstrument(openai.OpenAI);
  });
  await record("traceloop-openai", [new ProtobufExporter({ url })], inTraceloop);
  traceloop.disable();

  await record("opentelemetry-sdk", [new JsonExporter({ url }), new ProtobufExporter({ url })], (tracers) => {
    byHand(tracers.getTracer("shop-agent", "1.4.0"));
    return Promise.resolve();
  });
  collector.close();
  provider.close();
};

await main();

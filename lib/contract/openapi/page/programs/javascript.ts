import type { Program } from "./program.ts";

const exporter = `import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-proto";
import { NodeSDK, tracing } from "@opentelemetry/sdk-node";`;

const processor = "const processor = new tracing.BatchSpanProcessor(new OTLPTraceExporter());";

const start = `${processor}
new NodeSDK({ spanProcessors: [processor] }).start();`;

const flush = "await processor.forceFlush();";

const openTelemetry = ["@opentelemetry/sdk-node 0.223.0", "@opentelemetry/exporter-trace-otlp-proto 0.223.0"];

/** Runs an agent of LangChain.js with a tool. */
const langChainAgent = `const getWeather = tool(() => "sunny", {
  name: "get_weather",
  description: "The weather of a city",
  schema: z.object({ city: z.string() }),
});
const agent = createAgent({ model: "openai:gpt-5.4-mini", tools: [getWeather] });
const question = { role: "user", content: "What is the weather in Paris?" };
const metadata = { session_id: "chat-7", user_id: "mia" };
const { messages } = await agent.invoke({ messages: [question] }, { metadata });
console.log(messages.at(-1).text);`;

/** Sample programs of JavaScript SDKs, which `npm run vendors` runs as they are. */
export const javaScriptPrograms: readonly Program[] = [
  {
    topic: "ai-sdk",
    name: "Vercel's AI SDK",
    settings: "otlp",
    ranWith: ["ai 7.0.173", "@ai-sdk/otel 1.0.173", "@ai-sdk/openai 4.0.118", ...openTelemetry],
    code: `import { openai } from "@ai-sdk/openai";
import { OpenTelemetry } from "@ai-sdk/otel";
${exporter}
import { generateText, isStepCount, registerTelemetry, tool } from "ai";
import { z } from "zod";

${start}
registerTelemetry(new OpenTelemetry({ runtimeContext: true }));

const getWeather = tool({
  description: "The weather of a city",
  inputSchema: z.object({ city: z.string() }),
  execute: async () => "sunny",
});
const { text } = await generateText({
  model: openai("gpt-5.4-mini"),
  prompt: "What is the weather in Paris?",
  tools: { get_weather: getWeather },
  stopWhen: isStepCount(5),
  runtimeContext: { sessionId: "chat-7", userId: "mia" },
  telemetry: { functionId: "weather", includeRuntimeContext: { sessionId: true, userId: true } },
});
console.log(text);
${flush}`,
    flush,
    notes:
      "Version 6 needs no `@ai-sdk/otel`: `experimental_telemetry: { isEnabled: true, metadata: { sessionId, userId } }` in each call.",
  },
  {
    topic: "langchain-js",
    name: "LangChain.js and LangGraph.js",
    settings: "otlp",
    ranWith: [
      "langchain 1.5.14",
      "@langchain/core 1.4.0",
      "@langchain/openai 1.6.0",
      "@arizeai/openinference-instrumentation-langchain 4.1.1",
      ...openTelemetry,
    ],
    code: `import { LangChainInstrumentation } from "@arizeai/openinference-instrumentation-langchain";
import * as CallbackManagerModule from "@langchain/core/callbacks/manager";
${exporter}
import { createAgent, tool } from "langchain";
import { z } from "zod";

${start}
new LangChainInstrumentation().manuallyInstrument(CallbackManagerModule);

${langChainAgent}
${flush}`,
    flush,
  },
  {
    topic: "openai-agents-js",
    name: "OpenAI Agents SDK for JavaScript",
    settings: "otlp",
    ranWith: [
      "@openai/agents 0.20.0",
      "@arizeai/openinference-instrumentation-openai-agents 0.2.15",
      "@arizeai/openinference-core 2.7.1",
      ...openTelemetry,
    ],
    code: `import { setSession, setUser } from "@arizeai/openinference-core";
import { OpenAIAgentsInstrumentation } from "@arizeai/openinference-instrumentation-openai-agents";
import * as agents from "@openai/agents";
import { context } from "@opentelemetry/api";
${exporter}
import { z } from "zod";

${start}
new OpenAIAgentsInstrumentation().manuallyInstrument(agents);

const getWeather = agents.tool({
  name: "get_weather",
  description: "The weather of a city",
  parameters: z.object({ city: z.string() }),
  execute: () => "sunny",
});
const agent = new agents.Agent({ name: "weather", model: "gpt-5.4-mini", tools: [getWeather] });
const conversation = setUser(setSession(context.active(), { sessionId: "chat-7" }), { userId: "mia" });
const run = () => agents.run(agent, "What is the weather in Paris?");
const { finalOutput } = await context.with(conversation, run);
console.log(finalOutput);
${flush}`,
    flush,
    notes:
      "The instrumentation replaces the export to OpenAI. A `groupId` of the SDK's trace is not sent as a session.",
  },
  {
    topic: "mastra",
    name: "Mastra",
    settings: "otlp",
    ranWith: [
      "@mastra/core 1.71.0",
      "@mastra/observability 1.17.9",
      "@mastra/otel-exporter 1.4.0",
      "@opentelemetry/exporter-trace-otlp-proto 0.223.0",
    ],
    code: `import { openai } from "@ai-sdk/openai";
import { Agent } from "@mastra/core/agent";
import { Mastra } from "@mastra/core/mastra";
import { createTool } from "@mastra/core/tools";
import { Observability } from "@mastra/observability";
import { OtelExporter } from "@mastra/otel-exporter";
import { z } from "zod";

const getWeather = createTool({
  id: "get_weather",
  description: "The weather of a city",
  inputSchema: z.object({ city: z.string() }),
  execute: async () => "sunny",
});
const model = openai("gpt-5.4-mini");
const weather = new Agent({ id: "weather", name: "weather", instructions: "Be short.", model, tools: { get_weather: getWeather } });
const endpoint = process.env.OTEL_EXPORTER_OTLP_ENDPOINT;
const exporter = new OtelExporter({ provider: { custom: { endpoint, protocol: "http/protobuf" } } });
const mastra = new Mastra({
  agents: { weather },
  observability: new Observability({ configs: { otel: { serviceName: "weather", exporters: [exporter] } } }),
});
const { text } = await mastra.getAgent("weather").generate("What is the weather in Paris?", {
  tracingOptions: { metadata: { sessionId: "chat-7", userId: "mia" } },
});
console.log(text);
await mastra.observability.flush();`,
    flush: "await mastra.observability.flush();",
  },
  {
    topic: "openai-js",
    name: "OpenAI's SDK for JavaScript, OpenInference",
    settings: "otlp",
    ranWith: ["openai 7.57.0", "@arizeai/openinference-instrumentation-openai 4.2.7", ...openTelemetry],
    code: `import { OpenAIInstrumentation } from "@arizeai/openinference-instrumentation-openai";
${exporter}
import OpenAI from "openai";

${processor}
const instrumentation = new OpenAIInstrumentation();
instrumentation.manuallyInstrument(OpenAI);
new NodeSDK({ spanProcessors: [processor], instrumentations: [instrumentation] }).start();

const messages = [{ role: "user", content: "What is the weather in Paris?" }];
const completion = await new OpenAI().chat.completions.create({ model: "gpt-5.4-mini", messages });
console.log(completion.choices[0].message.content);
${flush}`,
    flush,
    notes: "The instrumentation sends no span of a call that fails: start a span of your own around the call.",
  },
  {
    topic: "langfuse-js",
    name: "Langfuse for JavaScript",
    settings: "langfuse",
    ranWith: [
      "@langfuse/otel 5.11.1",
      "@langfuse/tracing 5.11.1",
      "@langfuse/openai 5.11.1",
      "openai 7.57.0",
      "@opentelemetry/sdk-node 0.223.0",
    ],
    code: `import { observeOpenAI } from "@langfuse/openai";
import { LangfuseSpanProcessor } from "@langfuse/otel";
import { propagateAttributes, startActiveObservation } from "@langfuse/tracing";
import { NodeSDK } from "@opentelemetry/sdk-node";
import OpenAI from "openai";

const processor = new LangfuseSpanProcessor();
new NodeSDK({ spanProcessors: [processor] }).start();

const openai = observeOpenAI(new OpenAI());
const input = "What is the weather in Paris?";
await propagateAttributes({ sessionId: "chat-7", userId: "mia" }, () =>
  startActiveObservation("weather", async (agent) => {
    const messages = [{ role: "user", content: input }];
    const completion = await openai.chat.completions.create({ model: "gpt-5.4-mini", messages });
    agent.update({ input, output: completion.choices[0].message.content });
  }),
);
${flush}`,
    flush,
  },
  {
    topic: "langsmith-js",
    name: "LangSmith for JavaScript",
    settings: "langsmith",
    ranWith: ["langsmith 0.12.0", "openai 7.57.0"],
    code: `import { Client } from "langsmith";
import { traceable } from "langsmith/traceable";
import { wrapOpenAI } from "langsmith/wrappers";
import OpenAI from "openai";

const client = new Client();
const openai = wrapOpenAI(new OpenAI(), { client });
const agent = async (question) => {
  const messages = [{ role: "user", content: question }];
  const completion = await openai.chat.completions.create({ model: "gpt-5.4-mini", messages });
  return completion.choices[0].message.content;
};
const metadata = { session_id: "chat-7", user_id: "mia" };
console.log(await traceable(agent, { name: "weather", client, metadata })("What is the weather in Paris?"));
await client.awaitPendingTraceBatches();`,
    flush: "await client.awaitPendingTraceBatches();",
  },
  {
    topic: "langchain-langsmith-js",
    name: "LangChain.js through LangSmith",
    settings: "langsmith",
    ranWith: ["langchain 1.5.14", "@langchain/core 1.4.0", "@langchain/openai 1.6.0", "langsmith 0.12.0"],
    code: `import { awaitAllCallbacks } from "@langchain/core/callbacks/promises";
import { createAgent, tool } from "langchain";
import { z } from "zod";

${langChainAgent}
await awaitAllCallbacks();`,
    flush: "await awaitAllCallbacks();",
  },
  {
    topic: "braintrust-js",
    name: "Braintrust for JavaScript",
    settings: "braintrust",
    ranWith: [
      "@braintrust/otel 1.0.1",
      "braintrust 3.35.0",
      "ai 7.0.173",
      "@ai-sdk/otel 1.0.173",
      "@ai-sdk/openai 4.0.118",
      "@opentelemetry/sdk-node 0.223.0",
    ],
    code: `import { openai } from "@ai-sdk/openai";
import { OpenTelemetry } from "@ai-sdk/otel";
import { BraintrustSpanProcessor } from "@braintrust/otel";
import { NodeSDK } from "@opentelemetry/sdk-node";
import { generateText, registerTelemetry } from "ai";

const processor = new BraintrustSpanProcessor();
new NodeSDK({ spanProcessors: [processor] }).start();
registerTelemetry(new OpenTelemetry());

const prompt = "What is the weather in Paris?";
console.log((await generateText({ model: openai("gpt-5.4-mini"), prompt })).text);
${flush}`,
    flush,
  },
  {
    topic: "aws-lambda",
    name: "a Lambda function",
    settings: "otlp",
    ranWith: ["ai 7.0.173", "@ai-sdk/otel 1.0.173", "@ai-sdk/openai 4.0.118", ...openTelemetry],
    code: `import { openai } from "@ai-sdk/openai";
import { OpenTelemetry } from "@ai-sdk/otel";
${exporter}
import { generateText, registerTelemetry } from "ai";

${start}
registerTelemetry(new OpenTelemetry());

export const handler = async ({ question }) => {
  try {
    const { text } = await generateText({ model: openai("gpt-5.4-mini"), prompt: question });
    return text;
  } finally {
    ${flush}
  }
};`,
    flush,
    notes: "A function that times out sends nothing: leave it a second to flush.",
  },
  {
    topic: "vercel",
    name: "a Vercel function",
    settings: "otlp",
    ranWith: [
      "@vercel/otel 2.1.3",
      "@vercel/functions 3.9.9",
      "ai 7.0.173",
      "@ai-sdk/otel 1.0.173",
      "@ai-sdk/openai 4.0.118",
      "@opentelemetry/sdk-trace-base 2.12.0",
      "@opentelemetry/exporter-trace-otlp-proto 0.223.0",
    ],
    code: `import { openai } from "@ai-sdk/openai";
import { OpenTelemetry } from "@ai-sdk/otel";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-proto";
import { BatchSpanProcessor } from "@opentelemetry/sdk-trace-base";
import { waitUntil } from "@vercel/functions";
import { registerOTel } from "@vercel/otel";
import { generateText, registerTelemetry } from "ai";

const processor = new BatchSpanProcessor(new OTLPTraceExporter());
registerOTel({ serviceName: "weather", spanProcessors: [processor] });
registerTelemetry(new OpenTelemetry());

export const POST = async (request) => {
  const { question } = await request.json();
  try {
    const { text } = await generateText({ model: openai("gpt-5.4-mini"), prompt: question });
    return Response.json({ answer: text });
  } finally {
    waitUntil(processor.forceFlush());
  }
};`,
    flush: "waitUntil(processor.forceFlush());",
    notes:
      "`waitUntil` keeps the function alive after its reply. In Next.js `after(() => processor.forceFlush())` does the same.",
  },
];

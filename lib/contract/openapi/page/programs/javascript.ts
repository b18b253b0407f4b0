import type { Program } from "./program.ts";

export const javaScriptPrograms: readonly Program[] = [
  {
    name: "Vercel's AI SDK",
    settings: "otlp",
    ranWith: ["ai 6.0.326", "@ai-sdk/openai 3.0.141", "@opentelemetry/sdk-node 0.223.0"],
    code: `import { createOpenAI } from "@ai-sdk/openai";
import { generateText } from "ai";

const sdk = new NodeSDK({ traceExporter: new OTLPTraceExporter() });
sdk.start();
const model = createOpenAI({ baseURL: process.env.OPENAI_BASE_URL }).chat("gpt-5.4-mini");
const prompt = "What is the weather in Paris?";
console.log((await generateText({ model, prompt, experimental_telemetry: { isEnabled: true } })).text);
await sdk.shutdown();`,
  },
  {
    name: "OpenAI's SDK for JavaScript, OpenInference",
    settings: "otlp",
    ranWith: [
      "openai 6.49.0",
      "@arizeai/openinference-instrumentation-openai 4.2.7",
      "@opentelemetry/sdk-node 0.223.0",
    ],
    code: `import { OpenAIInstrumentation } from "@arizeai/openinference-instrumentation-openai";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-proto";
import OpenAI from "openai";

const instrumentation = new OpenAIInstrumentation();
instrumentation.manuallyInstrument(OpenAI);
const sdk = new NodeSDK({ traceExporter: new OTLPTraceExporter(), instrumentations: [instrumentation] });
sdk.start();
const messages = [{ role: "user", content: "What is the weather in Paris?" }];
console.log((await new OpenAI().chat.completions.create({ model: "gpt-5.4-mini", messages })).choices[0].message.content);
await sdk.shutdown();`,
  },
  {
    name: "Langfuse for JavaScript",
    settings: "langfuse",
    ranWith: ["@langfuse/otel 5.11.1", "@opentelemetry/sdk-node 0.223.0"],
    code: `import { LangfuseSpanProcessor } from "@langfuse/otel";
import { startActiveObservation } from "@langfuse/tracing";
import { NodeSDK } from "@opentelemetry/sdk-node";

const sdk = new NodeSDK({ spanProcessors: [new LangfuseSpanProcessor()] });
sdk.start();
await startActiveObservation("agent", async (span) => {
  span.update({ input: "What is the weather in Paris?", output: "It is sunny." });
});
await sdk.shutdown();`,
  },
];

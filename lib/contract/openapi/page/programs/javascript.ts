import { withCode } from "./program-code.ts";

const openTelemetry = ["@opentelemetry/sdk-node 0.223.0", "@opentelemetry/exporter-trace-otlp-proto 0.223.0"];

/** Sample programs of JavaScript SDKs, which `npm run vendors` runs as they are. */
export const javaScriptPrograms = withCode("programs/javascript/*.mjs", [
  {
    topic: "ai-sdk",
    name: "Vercel's AI SDK",
    settings: "otlp",
    ranWith: ["ai 7.0.173", "@ai-sdk/otel 1.0.173", "@ai-sdk/openai 4.0.118", ...openTelemetry],
    flush: "await processor.forceFlush();",
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
    flush: "await processor.forceFlush();",
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
    flush: "await processor.forceFlush();",
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
    flush: "await mastra.observability.flush();",
  },
  {
    topic: "openai-js",
    name: "OpenAI's SDK for JavaScript, OpenInference",
    settings: "otlp",
    ranWith: ["openai 7.57.0", "@arizeai/openinference-instrumentation-openai 4.2.7", ...openTelemetry],
    flush: "await processor.forceFlush();",
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
    flush: "await processor.forceFlush();",
  },
  {
    topic: "langsmith-js",
    name: "LangSmith for JavaScript",
    settings: "langsmith",
    ranWith: ["langsmith 0.12.0", "openai 7.57.0"],
    flush: "await client.awaitPendingTraceBatches();",
  },
  {
    topic: "langchain-langsmith-js",
    name: "LangChain.js through LangSmith",
    settings: "langsmith",
    ranWith: ["langchain 1.5.14", "@langchain/core 1.4.0", "@langchain/openai 1.6.0", "langsmith 0.12.0"],
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
    flush: "await processor.forceFlush();",
  },
  {
    topic: "aws-lambda",
    name: "a Lambda function",
    settings: "otlp",
    ranWith: ["ai 7.0.173", "@ai-sdk/otel 1.0.173", "@ai-sdk/openai 4.0.118", ...openTelemetry],
    flush: "await processor.forceFlush();",
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
    flush: "waitUntil(processor.forceFlush());",
    notes:
      "`waitUntil` keeps the function alive after its reply. In Next.js `after(() => processor.forceFlush())` does the same.",
  },
]);

import { openai } from "@ai-sdk/openai";
import { OpenTelemetry } from "@ai-sdk/otel";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-proto";
import { NodeSDK, tracing } from "@opentelemetry/sdk-node";
import { generateText, registerTelemetry } from "ai";

const processor = new tracing.BatchSpanProcessor(new OTLPTraceExporter());
new NodeSDK({ spanProcessors: [processor] }).start();
registerTelemetry(new OpenTelemetry());

export const handler = async ({ question }) => {
  try {
    const { text } = await generateText({ model: openai("gpt-5.4-mini"), prompt: question });
    return text;
  } finally {
    await processor.forceFlush();
  }
};

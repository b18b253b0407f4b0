import { openai } from "@ai-sdk/openai";
import { OpenTelemetry } from "@ai-sdk/otel";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-proto";
import { NodeSDK } from "@opentelemetry/sdk-node";
import { BatchSpanProcessor } from "@opentelemetry/sdk-trace";
import { generateText, isStepCount, registerTelemetry, tool } from "ai";
import { z } from "zod";

const processor = new BatchSpanProcessor({ exporter: new OTLPTraceExporter() });
new NodeSDK({ spanProcessors: [processor] }).start();
registerTelemetry(new OpenTelemetry());

const getWeather = tool({
  description: "The weather of a city",
  inputSchema: z.object({ city: z.string() }),
  execute: async () => "sunny",
});

export const handler = async ({ question }) => {
  try {
    const { text } = await generateText({
      model: openai("gpt-5.4-mini"),
      prompt: question,
      tools: { get_weather: getWeather },
      stopWhen: isStepCount(5),
    });
    return text;
  } finally {
    await processor.forceFlush();
  }
};

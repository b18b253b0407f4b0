import { openai } from "@ai-sdk/openai";
import { OpenTelemetry } from "@ai-sdk/otel";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-proto";
import { BatchSpanProcessor } from "@opentelemetry/sdk-trace-base";
import { waitUntil } from "@vercel/functions";
import { registerOTel } from "@vercel/otel";
import { generateText, isStepCount, registerTelemetry, tool } from "ai";
import { z } from "zod";

const processor = new BatchSpanProcessor(new OTLPTraceExporter());
registerOTel({ serviceName: "weather", spanProcessors: [processor] });
registerTelemetry(new OpenTelemetry());

const getWeather = tool({
  description: "The weather of a city",
  inputSchema: z.object({ city: z.string() }),
  execute: async () => "sunny",
});

export const POST = async (request) => {
  const { question } = await request.json();
  try {
    const { text } = await generateText({
      model: openai("gpt-5.4-mini"),
      prompt: question,
      tools: { get_weather: getWeather },
      stopWhen: isStepCount(5),
    });
    return Response.json({ answer: text });
  } finally {
    waitUntil(processor.forceFlush());
  }
};

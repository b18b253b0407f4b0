import { openai } from "@ai-sdk/openai";
import { OpenTelemetry } from "@ai-sdk/otel";
import { BraintrustSpanProcessor } from "@braintrust/otel";
import { NodeTracerProvider } from "@opentelemetry/sdk-trace-node";
import { generateText, isStepCount, registerTelemetry, tool } from "ai";
import { z } from "zod";

const processor = new BraintrustSpanProcessor();
new NodeTracerProvider({ spanProcessors: [processor] }).register();
registerTelemetry(new OpenTelemetry());

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
});
console.log(text);
await processor.forceFlush();

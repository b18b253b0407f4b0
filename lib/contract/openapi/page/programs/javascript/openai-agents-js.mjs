import { setSession, setUser } from "@arizeai/openinference-core";
import { OpenAIAgentsInstrumentation } from "@arizeai/openinference-instrumentation-openai-agents";
import * as agents from "@openai/agents";
import { context } from "@opentelemetry/api";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-proto";
import { NodeSDK } from "@opentelemetry/sdk-node";
import { BatchSpanProcessor } from "@opentelemetry/sdk-trace";
import { z } from "zod";

const processor = new BatchSpanProcessor({ exporter: new OTLPTraceExporter() });
new NodeSDK({ spanProcessors: [processor] }).start();
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
await processor.forceFlush();

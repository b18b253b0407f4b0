import { openai } from "@ai-sdk/openai";
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
await mastra.observability.flush();

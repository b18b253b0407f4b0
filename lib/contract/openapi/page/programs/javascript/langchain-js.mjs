import { LangChainInstrumentation } from "@arizeai/openinference-instrumentation-langchain";
import * as CallbackManagerModule from "@langchain/core/callbacks/manager";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-proto";
import { NodeSDK } from "@opentelemetry/sdk-node";
import { BatchSpanProcessor } from "@opentelemetry/sdk-trace";
import { createAgent, tool } from "langchain";
import { z } from "zod";

const processor = new BatchSpanProcessor({ exporter: new OTLPTraceExporter() });
new NodeSDK({ spanProcessors: [processor] }).start();
new LangChainInstrumentation().manuallyInstrument(CallbackManagerModule);

const getWeather = tool(() => "sunny", {
  name: "get_weather",
  description: "The weather of a city",
  schema: z.object({ city: z.string() }),
});
const agent = createAgent({ model: "openai:gpt-5.4-mini", tools: [getWeather] });
const question = { role: "user", content: "What is the weather in Paris?" };
const metadata = { session_id: "chat-7", user_id: "mia" };
const { messages } = await agent.invoke({ messages: [question] }, { metadata });
console.log(messages.at(-1).text);
await processor.forceFlush();

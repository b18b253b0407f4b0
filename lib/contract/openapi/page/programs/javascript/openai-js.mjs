import { OpenAIInstrumentation } from "@arizeai/openinference-instrumentation-openai";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-proto";
import { NodeSDK } from "@opentelemetry/sdk-node";
import { BatchSpanProcessor } from "@opentelemetry/sdk-trace";
import { traceAgent, traceTool } from "@arizeai/openinference-core";
import OpenAI from "openai";

const processor = new BatchSpanProcessor({ exporter: new OTLPTraceExporter() });
new NodeSDK({ spanProcessors: [processor] }).start();
new OpenAIInstrumentation().manuallyInstrument(OpenAI);

const openai = new OpenAI();
const getWeather = traceTool(({ city }) => `${city}: sunny`, { name: "get_weather" });
const parameters = { type: "object", properties: { city: { type: "string" } } };
const tools = [{ type: "function", function: { name: "get_weather", parameters } }];
const agent = async (question) => {
  const messages = [{ role: "user", content: question }];
  for (;;) {
    const completion = await openai.chat.completions.create({ model: "gpt-5.4-mini", messages, tools });
    const { message } = completion.choices[0];
    if (!message.tool_calls) return message.content;
    messages.push(message);
    for (const { id, function: call } of message.tool_calls)
      messages.push({ role: "tool", tool_call_id: id, content: getWeather(JSON.parse(call.arguments)) });
  }
};
console.log(await traceAgent(agent, { name: "weather" })("What is the weather in Paris?"));
await processor.forceFlush();

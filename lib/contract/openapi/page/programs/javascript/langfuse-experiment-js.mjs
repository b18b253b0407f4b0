import { LangfuseClient } from "@langfuse/client";
import { observeOpenAI } from "@langfuse/openai";
import { LangfuseSpanProcessor } from "@langfuse/otel";
import { observe } from "@langfuse/tracing";
import { NodeTracerProvider } from "@opentelemetry/sdk-trace-node";
import OpenAI from "openai";

const processor = new LangfuseSpanProcessor();
new NodeTracerProvider({ spanProcessors: [processor] }).register();

const [langfuse, openai] = [new LangfuseClient(), observeOpenAI(new OpenAI())];
const getWeather = observe(({ city }) => `${city}: sunny`, { name: "get_weather", asType: "tool" });
const parameters = { type: "object", properties: { city: { type: "string" } } };
const tools = [{ type: "function", function: { name: "get_weather", parameters } }];
const task = async ({ input }) => {
  const messages = [{ role: "user", content: input }];
  for (;;) {
    const completion = await openai.chat.completions.create({ model: "gpt-5.4-mini", messages, tools });
    const { message } = completion.choices[0];
    if (!message.tool_calls) return message.content;
    messages.push(message);
    for (const { id, function: call } of message.tool_calls)
      messages.push({ role: "tool", tool_call_id: id, content: getWeather(JSON.parse(call.arguments)) });
  }
};
const isExpected = async ({ output, expectedOutput }) => ({
  name: "is_expected",
  value: output.includes(expectedOutput) ? 1 : 0,
});

await langfuse.api.datasets.create({ name: "weather" });
const input = "What is the weather in Paris?";
await langfuse.dataset.createItem({ datasetName: "weather", id: "paris", input, expectedOutput: "sunny" });
const dataset = await langfuse.dataset.get("weather");
const result = await dataset.runExperiment({ name: "release 2", task, evaluators: [isExpected] });
console.log(await result.format({ includeItemResults: true }));
await processor.forceFlush();

import { observeOpenAI } from "@langfuse/openai";
import { LangfuseSpanProcessor } from "@langfuse/otel";
import { observe, propagateAttributes, startActiveObservation } from "@langfuse/tracing";
import { NodeTracerProvider } from "@opentelemetry/sdk-trace-node";
import OpenAI from "openai";

const processor = new LangfuseSpanProcessor();
new NodeTracerProvider({ spanProcessors: [processor] }).register();

const openai = observeOpenAI(new OpenAI());
const getWeather = observe(({ city }) => `${city}: sunny`, { name: "get_weather", asType: "tool" });
const parameters = { type: "object", properties: { city: { type: "string" } } };
const tools = [{ type: "function", function: { name: "get_weather", parameters } }];
const agent = async (input) => {
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
const input = "What is the weather in Paris?";
await propagateAttributes({ sessionId: "chat-7", userId: "mia" }, () =>
  startActiveObservation("weather", async (span) => span.update({ input, output: await agent(input) }), { asType: "agent" }),
);
await processor.forceFlush();

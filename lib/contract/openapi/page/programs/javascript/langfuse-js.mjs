import { observeOpenAI } from "@langfuse/openai";
import { LangfuseSpanProcessor } from "@langfuse/otel";
import { propagateAttributes, startActiveObservation } from "@langfuse/tracing";
import { NodeSDK } from "@opentelemetry/sdk-node";
import OpenAI from "openai";

const processor = new LangfuseSpanProcessor();
new NodeSDK({ spanProcessors: [processor] }).start();

const openai = observeOpenAI(new OpenAI());
const input = "What is the weather in Paris?";
await propagateAttributes({ sessionId: "chat-7", userId: "mia" }, () =>
  startActiveObservation("weather", async (agent) => {
    const messages = [{ role: "user", content: input }];
    const completion = await openai.chat.completions.create({ model: "gpt-5.4-mini", messages });
    agent.update({ input, output: completion.choices[0].message.content });
  }),
);
await processor.forceFlush();

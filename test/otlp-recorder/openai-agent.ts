import { SpanStatusCode, type Tracer } from "@opentelemetry/api";
import type { OpenAI } from "openai";
import { shop } from "./shop.ts";

/** Runs an agent with two model calls and a failing tool; it creates the spans around the calls itself. */
export const openAiAgent = async (client: OpenAI, tracer: Tracer): Promise<void> => {
  const messages: OpenAI.ChatCompletionMessageParam[] = [
    { role: "system", content: shop.instructions },
    { role: "user", content: shop.question },
  ];
  const tools = [{ type: "function" as const, function: shop.lookup }];
  const ask = () => client.chat.completions.create({ model: shop.model, temperature: 0.2, messages, tools });
  await tracer.startActiveSpan("answer_customer", async (root) => {
    root.setAttributes({ "session.id": shop.session, "user.id": shop.user, "shop.branch": "north" });
    const [choice] = (await ask()).choices;
    if (choice !== undefined) messages.push(choice.message);
    tracer.startActiveSpan(shop.lookup.name, (span) => {
      span.recordException({
        name: "TypeError",
        message: shop.failure,
        stack: `TypeError: ${shop.failure}\n    at lookup (shop.ts:12:3)`,
      });
      span.setStatus({ code: SpanStatusCode.ERROR, message: "no answer" });
      span.end();
    });
    messages.push({ role: "tool", tool_call_id: "call_1", content: JSON.stringify(shop.order) });
    await ask();
    root.end();
  });
};

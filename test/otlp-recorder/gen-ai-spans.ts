import { ROOT_CONTEXT, trace, type Tracer } from "@opentelemetry/api";
import { shop } from "./shop.ts";

/** Records manually created spans with the GenAI semantic conventions. */
export const genAiSpans = (tracer: Tracer): void => {
  const startedAt = Date.now();
  /** Instant in milliseconds, `seconds` after the start. */
  const at = (seconds: number): number => startedAt + seconds * 1000;
  const root = tracer.startSpan("invoke_agent shop", {
    startTime: at(0),
    attributes: {
      "gen_ai.operation.name": "invoke_agent",
      "gen_ai.agent.name": "shop",
      "gen_ai.conversation.id": shop.session,
    },
  });
  const inside = trace.setSpan(ROOT_CONTEXT, root);
  const inputMessages = [{ role: "user", parts: [{ type: "text", content: shop.question }] }];
  const call = { type: "tool_call", id: "call_1", name: shop.lookup.name, arguments: { order: 1042 } };
  const attributes = {
    "gen_ai.operation.name": "chat",
    "gen_ai.provider.name": "openai",
    "gen_ai.request.model": shop.model,
    "gen_ai.request.temperature": 0.2,
    "gen_ai.system_instructions": JSON.stringify([{ type: "text", content: shop.instructions }]),
    "gen_ai.input.messages": JSON.stringify(inputMessages),
    "gen_ai.output.messages": JSON.stringify([{ role: "assistant", parts: [call], finish_reason: "tool_call" }]),
    "gen_ai.tool.definitions": JSON.stringify([{ type: "function", ...shop.lookup }]),
    "gen_ai.usage.input_tokens": 60,
    "gen_ai.usage.output_tokens": 20,
    "gen_ai.usage.cache_read.input_tokens": 16,
    "gen_ai.usage.reasoning.output_tokens": 8,
  };
  tracer.startSpan(`chat ${shop.model}`, { attributes, startTime: at(0.5) }, inside).end(at(1));
  const tool = {
    "gen_ai.operation.name": "execute_tool",
    "gen_ai.tool.name": shop.lookup.name,
    "gen_ai.tool.call.id": "call_1",
    "gen_ai.tool.call.arguments": JSON.stringify({ order: 1042 }),
    "gen_ai.tool.call.result": JSON.stringify(shop.order),
  };
  tracer.startSpan(`execute_tool ${shop.lookup.name}`, { attributes: tool, startTime: at(1) }, inside).end(at(1.5));
  const events = tracer.startSpan(
    `chat ${shop.model}`,
    { attributes: { "gen_ai.operation.name": "chat" }, startTime: at(2) },
    inside,
  );
  events.addEvent("gen_ai.user.message", { content: shop.question });
  events.addEvent("gen_ai.tool.message", { id: "call_1", content: JSON.stringify(shop.order) });
  events.addEvent("gen_ai.choice", {
    index: 0,
    finish_reason: "stop",
    message: JSON.stringify({ role: "assistant", content: "It left our warehouse and arrives tomorrow." }),
  });
  events.end(at(2.5));
  root.end(at(3));
};

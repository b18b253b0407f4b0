import type { IncomingMessage, ServerResponse } from "node:http";
import { json } from "node:stream/consumers";
import * as v from "valibot";
import { shop } from "./shop.ts";

const requestBody = v.object({
  model: v.string(),
  stream: v.optional(v.boolean(), false),
  messages: v.array(v.object({ role: v.string() })),
});

const usage = {
  prompt_tokens: 60,
  completion_tokens: 20,
  total_tokens: 80,
  prompt_tokens_details: { cached_tokens: 16 },
  completion_tokens_details: { reasoning_tokens: 8 },
};

const call = { id: "call_1", type: "function", function: { name: shop.lookup.name, arguments: '{"order":1042}' } };
const answerParts = ["It left our warehouse ", "and arrives tomorrow."];
const completionHead = { id: "chatcmpl-1", created: 1_795_251_600, model: "gpt-5.4-mini-2026-03-17" };

/** Server-sent events of a streamed reply. */
const streamed = (hasToolResult: boolean): string => {
  const deltas = hasToolResult
    ? answerParts.map((content) => ({ role: "assistant", content }))
    : [{ role: "assistant", content: null, tool_calls: [{ index: 0, ...call }] }];
  const chunk = (choices: readonly unknown[], extraFields: object = {}): string =>
    `data: ${JSON.stringify({ ...completionHead, object: "chat.completion.chunk", choices, ...extraFields })}\n\n`;
  return [
    ...deltas.map((delta) => chunk([{ index: 0, delta, finish_reason: null }])),
    chunk([{ index: 0, delta: {}, finish_reason: hasToolResult ? "stop" : "tool_calls" }]),
    chunk([], { usage }),
    "data: [DONE]\n\n",
  ].join("");
};

/** Handles requests with OpenAI's protocol: the model calls the tool once, then answers; other models are unknown. */
export const fakeModel = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
  const { model, stream, messages } = v.parse(requestBody, await json(request));
  const hasToolResult = messages.some(({ role }) => role === "tool");
  if (model === shop.missingModel) {
    const error = { message: `The model ${model} does not exist.`, type: "invalid_request_error" };
    response.writeHead(404, { "content-type": "application/json" }).end(JSON.stringify({ error }));
    return;
  }
  if (stream) {
    response.writeHead(200, { "content-type": "text/event-stream" }).end(streamed(hasToolResult));
    return;
  }
  const message = hasToolResult
    ? { role: "assistant", content: answerParts.join("") }
    : { role: "assistant", content: null, tool_calls: [call] };
  const choices = [{ index: 0, finish_reason: hasToolResult ? "stop" : "tool_calls", message }];
  response
    .writeHead(200, { "content-type": "application/json" })
    .end(JSON.stringify({ ...completionHead, object: "chat.completion", choices, usage }));
};

import type { IncomingMessage, ServerResponse } from "node:http";
import { json } from "node:stream/consumers";
import * as v from "valibot";
import { shop } from "./shop.ts";

const asked = v.object({
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
const said = ["It left our warehouse ", "and arrives tomorrow."];
const known = { id: "chatcmpl-1", created: 1_795_251_600, model: "gpt-5.4-mini-2026-03-17" };

/** The pieces in which a reply is streamed, as server-sent events. */
const streamed = (told: boolean): string => {
  const deltas = told
    ? said.map((content) => ({ role: "assistant", content }))
    : [{ role: "assistant", content: null, tool_calls: [{ index: 0, ...call }] }];
  const chunk = (choices: readonly unknown[], more: object = {}): string =>
    `data: ${JSON.stringify({ ...known, object: "chat.completion.chunk", choices, ...more })}\n\n`;
  return [
    ...deltas.map((delta) => chunk([{ index: 0, delta, finish_reason: null }])),
    chunk([{ index: 0, delta: {}, finish_reason: told ? "stop" : "tool_calls" }]),
    chunk([], { usage }),
    "data: [DONE]\n\n",
  ].join("");
};

/** A provider of OpenAI's protocol: its model asks for the tool once, then answers; another model it does not have. */
export const fakeModel = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
  const { model, stream, messages } = v.parse(asked, await json(request));
  const told = messages.some(({ role }) => role === "tool");
  if (model === shop.missingModel) {
    const error = { message: `The model ${model} does not exist.`, type: "invalid_request_error" };
    response.writeHead(404, { "content-type": "application/json" }).end(JSON.stringify({ error }));
    return;
  }
  if (stream) {
    response.writeHead(200, { "content-type": "text/event-stream" }).end(streamed(told));
    return;
  }
  const message = told
    ? { role: "assistant", content: said.join("") }
    : { role: "assistant", content: null, tool_calls: [call] };
  const choices = [{ index: 0, finish_reason: told ? "stop" : "tool_calls", message }];
  response
    .writeHead(200, { "content-type": "application/json" })
    .end(JSON.stringify({ ...known, object: "chat.completion", choices, usage }));
};

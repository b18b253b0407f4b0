import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { json } from "node:stream/consumers";
import * as v from "valibot";

/** What the simulated model is asked, calls and answers. */
export const weather = {
  question: "What is the weather in Paris?",
  city: "Paris",
  tool: "get_weather",
  answer: "It is mild in Paris.",
  failure: "The simulated model is out of order.",
  model: "gpt-5.4-mini",
  promptTokens: 60,
  completionTokens: 20,
} as const;

const message = v.looseObject({ role: v.optional(v.string()), type: v.optional(v.string()) });
const requestBody = v.looseObject({
  model: v.string(),
  messages: v.optional(v.array(message)),
  input: v.optional(v.array(message)),
  tools: v.optional(v.array(v.unknown()), []),
});

const call = { name: weather.tool, arguments: JSON.stringify({ city: weather.city }) };
const { promptTokens, completionTokens } = weather;
const total_tokens = promptTokens + completionTokens;

/** A reply of `POST /v1/chat/completions`. */
const chatCompletion = (id: number, model: string, isToolCall: boolean): object => {
  const message = isToolCall
    ? { role: "assistant", content: null, tool_calls: [{ id: `call_${id}`, type: "function", function: call }] }
    : { role: "assistant", content: weather.answer };
  return {
    id: `chatcmpl-${id}`,
    object: "chat.completion",
    created: 1_795_251_600,
    model,
    choices: [{ index: 0, finish_reason: isToolCall ? "tool_calls" : "stop", message }],
    usage: { prompt_tokens: promptTokens, completion_tokens: completionTokens, total_tokens },
  };
};

/** A reply of `POST /v1/responses`. */
const modelResponse = (id: number, model: string, isToolCall: boolean): object => {
  const item = isToolCall
    ? { id: `fc_${id}`, type: "function_call", status: "completed", call_id: `call_${id}`, ...call }
    : {
        id: `msg_${id}`,
        type: "message",
        status: "completed",
        role: "assistant",
        content: [{ type: "output_text", text: weather.answer, annotations: [] }],
      };
  return {
    id: `resp_${id}`,
    object: "response",
    created_at: 1_795_251_600,
    status: "completed",
    model,
    output: [item],
    tools: [],
    usage: {
      input_tokens: promptTokens,
      output_tokens: completionTokens,
      total_tokens,
      input_tokens_details: { cached_tokens: 0 },
      output_tokens_details: { reasoning_tokens: 0 },
    },
  };
};

/** A running server with OpenAI's protocol. */
export interface ModelServer {
  /** Base URL of a model that calls the tool if there is one, then answers. */
  readonly url: string;
  /** Base URL of a model that refuses every request. */
  readonly failingUrl: string;
  close(): void;
}

/** Starts a simulated model on a free port of this machine. */
export const startModelServer = async (): Promise<ModelServer> => {
  let replies = 0;
  const server = createServer((request, response) => {
    const answer = async (): Promise<void> => {
      const { model, messages = [], input = [], tools } = v.parse(requestBody, await json(request));
      const isFailing = request.url?.startsWith("/failing/") === true;
      const hasResult = [...messages, ...input].some(
        ({ role, type }) => role === "tool" || type === "function_call_output",
      );
      replies += 1;
      const replyOf = request.url?.endsWith("/responses") === true ? modelResponse : chatCompletion;
      const body = isFailing
        ? { error: { message: weather.failure, type: "invalid_request_error", code: null, param: null } }
        : replyOf(replies, model, tools.length > 0 && !hasResult);
      response.writeHead(isFailing ? 400 : 200, { "content-type": "application/json" }).end(JSON.stringify(body));
    };
    answer().catch((error: unknown) => response.writeHead(500).end(String(error)));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- it listens on a port.
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { url: `${origin}/v1`, failingUrl: `${origin}/failing/v1`, close: () => void server.close() };
};

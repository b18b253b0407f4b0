import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { json } from "node:stream/consumers";
import * as v from "valibot";

/** What the simulated model is asked, calls and answers. */
export const weather = {
  question: "What is the weather in Paris?",
  city: "Paris",
  tool: "get_weather",
  result: "sunny",
  answer: "It is mild in Paris.",
  failure: "The simulated model is out of order.",
  promptTokens: 60,
  completionTokens: 20,
} as const;

const { promptTokens, completionTokens } = weather;
const total_tokens = promptTokens + completionTokens;

const message = v.looseObject({ role: v.optional(v.string()), type: v.optional(v.string()) });
const tool = v.looseObject({ name: v.optional(v.string()), function: v.optional(v.object({ name: v.string() })) });
const requestBody = v.looseObject({
  model: v.string(),
  messages: v.optional(v.array(message)),
  input: v.optional(v.array(message)),
  tools: v.optional(v.array(tool), []),
  stream: v.optional(v.boolean(), false),
});

/** What the model replies: text, or a call of a tool. */
interface Turn {
  readonly id: number;
  readonly model: string;
  readonly text: string;
  readonly call: { readonly name: string; readonly input: object } | null;
}

/** A provider's protocol: its whole reply, and the same reply as events of a stream. */
interface Protocol {
  readonly path: string;
  readonly reply: (turn: Turn) => object;
  readonly events?: (turn: Turn) => readonly object[];
  /** Text after the last event. */
  readonly end?: string;
}

const chatChoice = ({ id, text, call }: Turn, isDelta: boolean) => {
  const functionCall = call && { name: call.name, arguments: JSON.stringify(call.input) };
  const toolCall = { id: `call_${id}`, type: "function", function: functionCall, ...(isDelta && { index: 0 }) };
  const content = { role: "assistant", content: call ? null : text, ...(call && { tool_calls: [toolCall] }) };
  return { index: 0, finish_reason: call ? "tool_calls" : "stop", [isDelta ? "delta" : "message"]: content };
};

const chatUsage = { prompt_tokens: promptTokens, completion_tokens: completionTokens, total_tokens };

const chat = ({ id, model }: Turn, kind: string, rest: object): object => ({
  id: `chatcmpl-${id}`,
  object: kind,
  created: 1_795_251_600,
  model,
  ...rest,
});

const anthropicBlock = ({ id, text, call }: Turn) =>
  call ? { type: "tool_use", id: `toolu_${id}`, ...call } : { type: "text", text };

const anthropicMessage = ({ id, model }: Turn, rest: object): object => ({
  id: `msg_${id}`,
  type: "message",
  role: "assistant",
  model,
  usage: { input_tokens: promptTokens, output_tokens: completionTokens },
  stop_sequence: null,
  ...rest,
});

const protocols: readonly Protocol[] = [
  {
    path: "/chat/completions",
    reply: (turn) => chat(turn, "chat.completion", { choices: [chatChoice(turn, false)], usage: chatUsage }),
    events: (turn) => [
      chat(turn, "chat.completion.chunk", { choices: [chatChoice(turn, true)] }),
      chat(turn, "chat.completion.chunk", { choices: [], usage: chatUsage }),
    ],
    end: "data: [DONE]\n\n",
  },
  {
    path: "/responses",
    reply: (turn) => {
      const { id, model, text, call } = turn;
      const item = call
        ? {
            id: `fc_${id}`,
            type: "function_call",
            call_id: `call_${id}`,
            name: call.name,
            arguments: JSON.stringify(call.input),
          }
        : {
            id: `msg_${id}`,
            type: "message",
            role: "assistant",
            content: [{ type: "output_text", text, annotations: [] }],
          };
      return {
        id: `resp_${id}`,
        object: "response",
        created_at: 1_795_251_600,
        status: "completed",
        model,
        output: [{ ...item, status: "completed" }],
        tools: [],
        usage: {
          input_tokens: promptTokens,
          output_tokens: completionTokens,
          total_tokens,
          input_tokens_details: { cached_tokens: 0 },
          output_tokens_details: { reasoning_tokens: 0 },
        },
      };
    },
  },
  {
    path: "/messages",
    reply: (turn) =>
      anthropicMessage(turn, { content: [anthropicBlock(turn)], stop_reason: turn.call ? "tool_use" : "end_turn" }),
    events: (turn) => {
      const { text, call } = turn;
      return [
        { type: "message_start", message: anthropicMessage(turn, { content: [], stop_reason: null }) },
        {
          type: "content_block_start",
          index: 0,
          content_block: { ...anthropicBlock(turn), ...(call ? { input: {} } : { text: "" }) },
        },
        {
          type: "content_block_delta",
          index: 0,
          delta: call
            ? { type: "input_json_delta", partial_json: JSON.stringify(call.input) }
            : { type: "text_delta", text },
        },
        { type: "content_block_stop", index: 0 },
        {
          type: "message_delta",
          delta: { stop_reason: call ? "tool_use" : "end_turn", stop_sequence: null },
          usage: { output_tokens: completionTokens },
        },
        { type: "message_stop" },
      ];
    },
  },
];

/** Text of fields, as DSPy asks for them in place of tools. */
const fieldsText = (fields: Readonly<Record<string, string>>): string =>
  Object.entries({ ...fields, completed: "" })
    .map(([name, value]) => `[[ ## ${name} ## ]]\n${value}\n\n`)
    .join("");

/** The reply to DSPy's prompts: a step of ReAct, which calls the tool and then finishes, or the answer; null for other prompts. */
const dspyText = (conversation: string, hasResult: boolean): string | null => {
  if (!conversation.includes("[[ ## ")) return null;
  if (!conversation.includes("next_tool_name"))
    return fieldsText({ reasoning: "It is known.", answer: weather.answer });
  const [next_tool_name, input] = hasResult ? ["finish", {}] : [weather.tool, { city: weather.city }];
  return fieldsText({ next_thought: "I look.", next_tool_name, next_tool_args: JSON.stringify(input) });
};

/** Replies with a call of the weather tool if it is offered, with the answer after its result. */
const turnOf = (id: number, { model, messages = [], input = [], tools }: v.InferOutput<typeof requestBody>): Turn => {
  const conversation = JSON.stringify([messages, input]);
  const hasResult = conversation.includes(weather.result);
  const offered = tools.map(({ name, function: { name: inner } = { name } }) => inner ?? "");
  const nameOf = (part: string): string | undefined => offered.find((name) => name.includes(part));
  const [name, callInput] = hasResult
    ? [nameOf("final_answer"), { answer: weather.answer }]
    : [nameOf(weather.tool), { city: weather.city }];
  const text = dspyText(conversation, hasResult) ?? weather.answer;
  return { id, model, text, call: name === undefined ? null : { name, input: callInput } };
};

/** A running model with the protocols of OpenAI and Anthropic. */
export interface Model {
  readonly url: string;
  /** Names of the models that were called, one for each call. */
  readonly calls: readonly string[];
  close(): void;
}

/** Starts a simulated model on a free port of this machine. @param isFailing whether it refuses every request. */
export const startModel = async (isFailing: boolean): Promise<Model> => {
  const calls: string[] = [];
  const server = createServer((request, response) => {
    const answer = async (): Promise<void> => {
      const { pathname } = new URL(request.url ?? "", "http://127.0.0.1");
      const protocol = protocols.find(({ path }) => pathname.endsWith(path));
      if (protocol === undefined) return void response.writeHead(404).end();
      const body = v.parse(requestBody, await json(request));
      calls.push(body.model);
      const turn = turnOf(calls.length, body);
      const type = { "content-type": "application/json" };
      if (isFailing) {
        const error = { message: weather.failure, type: "invalid_request_error", code: null, param: null };
        response.writeHead(400, type).end(JSON.stringify({ type: "error", error }));
      } else if (body.stream) {
        const events = protocol.events?.(turn) ?? [];
        response.writeHead(200, { "content-type": "text/event-stream" });
        for (const event of events)
          response.write(
            `${"type" in event ? `event: ${String(event.type)}\n` : ""}data: ${JSON.stringify(event)}\n\n`,
          );
        response.end(protocol.end);
      } else response.writeHead(200, type).end(JSON.stringify(protocol.reply(turn)));
    };
    answer().catch((error: unknown) => response.writeHead(500).end(String(error)));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- it listens on a port.
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { url, calls, close: () => void server.close() };
};

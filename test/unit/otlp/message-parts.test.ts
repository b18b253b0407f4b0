import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../../lib/domain/json.ts";
import { messagesOf } from "../../../lib/conventions/payloads/messages.ts";

const text = (content: string) => ({ type: "text", content });
const toolCallPart = { type: "tool_call", id: "c1", name: "lookup", arguments: { order: 7 } };
const answered = { type: "tool_call_response", id: "c1", response: { state: "shipped" } };
const call = { id: "c1", type: "function", function: { name: "lookup", arguments: { order: 7 } } };
const result = { role: "tool", tool_call_id: "c1", content: { state: "shipped" } };

describe("a message of several parts", () => {
  const messages = (...parts: readonly JsonObject[]) => messagesOf([{ role: "assistant", parts }]);

  test("is one message with its text and the requested calls", () => {
    expect(messages(text("One moment."), toolCallPart)).toEqual([
      { role: "assistant", content: "One moment.", tool_calls: [call] },
    ]);
  });

  test("keeps text before a call and after its answer in this order", () => {
    expect(messages(text("One moment."), toolCallPart, answered, text("It is on its way."))).toEqual([
      { role: "assistant", content: "One moment.", tool_calls: [call] },
      result,
      { role: "assistant", content: "It is on its way." },
    ]);
  });

  test("that ends in tool results has its text after them", () => {
    expect(messages(text("It is on its way."), toolCallPart, answered)).toEqual([
      { role: "assistant", tool_calls: [call] },
      result,
      { role: "assistant", content: "It is on its way." },
    ]);
  });

  test("has the reasoning beside the text", () => {
    expect(messages({ type: "reasoning", content: "Look it up." }, text("Hi"))).toEqual([
      { role: "assistant", reasoning: "Look it up.", content: "Hi" },
    ]);
  });

  test("keeps parts of other kinds unchanged", () => {
    const image = { type: "uri", modality: "image", uri: "https://example.com/a.png" };

    expect(messages(text("Look"), image)).toEqual([
      { role: "assistant", content: [{ type: "text", text: "Look" }, image] },
    ]);
  });
});

test("an agent's calls precede its final answer, and are beside a text without a final answer", () => {
  const output = (reason: string) => [
    { role: "assistant", parts: [text("Done."), toolCallPart], finish_reason: reason },
  ];

  expect(messagesOf(output("stop"), true)).toEqual([
    { role: "assistant", tool_calls: [call] },
    { role: "assistant", content: "Done.", finish_reason: "stop" },
  ]);
  expect(messagesOf(output("tool_call"), true)).toHaveLength(1);
});

test("parts of the AI SDK are read in the field names of each of its versions", () => {
  const assistantParts = (...content: readonly JsonObject[]) => messagesOf([{ role: "assistant", content }]);
  const ids = { toolCallId: "c1", toolName: "lookup" };
  const namedResult = { ...result, name: "lookup" };

  expect(assistantParts({ type: "tool-call", ...ids, args: { order: 7 } })).toEqual([
    { role: "assistant", tool_calls: [call] },
  ]);
  expect(assistantParts({ type: "tool-result", ...ids, result: { state: "shipped" } })).toEqual([namedResult]);
  expect(
    assistantParts({ type: "tool-result", ...ids, output: { type: "json", value: { state: "shipped" } } }),
  ).toEqual([namedResult]);
  expect(messagesOf([{ role: "user", content: "Hi" }])).toEqual([{ role: "user", content: "Hi" }]);
});

test("a provider's settings and ids in the AI SDK's parts, calls and results are left out", () => {
  const provider = { providerOptions: { cache: true }, providerMetadata: { id: 7 } };
  const callPart = { type: "tool-call", toolCallId: "c1", toolName: "lookup", input: {}, ...provider };

  expect(
    messagesOf([
      { role: "user", content: [{ type: "text", text: "Hi", ...provider }] },
      { role: "assistant", content: [callPart] },
      { role: "tool", content: [{ type: "tool-result", toolCallId: "c1", result: 1, ...provider }] },
    ]),
  ).toEqual([
    { role: "user", content: "Hi" },
    { role: "assistant", tool_calls: [{ id: "c1", type: "function", function: { name: "lookup", arguments: {} } }] },
    { role: "tool", tool_call_id: "c1", content: 1 },
  ]);
});

test("other fields of a part are kept beside its text, call or result", () => {
  const cached = { type: "text", text: "Hi", language: "en" };
  const failed = { type: "tool-result", toolCallId: "c1", toolName: "lookup", isError: true };
  const error = { type: "error-text", value: "No answer." };

  expect(messagesOf([{ role: "user", content: [cached] }])).toEqual([{ role: "user", content: "Hi", language: "en" }]);
  expect(messagesOf([{ role: "tool", content: [{ ...failed, output: error }] }])).toEqual([
    { role: "tool", tool_call_id: "c1", name: "lookup", isError: true, content: error },
  ]);
  expect(messagesOf([{ role: "assistant", parts: [{ ...toolCallPart, server: "shop" }] }])).toEqual([
    { role: "assistant", tool_calls: [{ ...call, server: "shop" }] },
  ]);
});

describe("a text part with a further field", () => {
  test.each<[string, JsonObject]>([
    ["a position in a stream", { index: 0 }],
    ["an id and no citations", { id: "msg_1", annotations: [] }],
    ["a breakpoint of a cache", { cache_control: { type: "ephemeral" } }],
    ["a phase", { phase: "final_answer" }],
    ["extras of LangChain", { extras: { signature: "c2ln" } }],
    ["a signature in the spelling of Python", { thought_signature: "c2ln" }],
    ["a signature in the spelling of JavaScript", { thoughtSignature: "c2ln" }],
    ["a state", { state: "done" }],
    ["no content in many fields", { citations: null, annotations: null, logprobs: [] }],
  ])("is the text: %s", (_, fields) => {
    const parts = [{ type: "text", text: "Sunny.", ...fields }];

    expect(messagesOf([{ role: "assistant", content: parts }])).toEqual([{ role: "assistant", content: "Sunny." }]);
  });

  test("has citations beside the text, those of all parts in one list", () => {
    const [first, second] = [{ url: "https://a.example/1" }, { url: "https://a.example/2" }];
    const content = [
      { type: "output_text", text: "Sunny.", annotations: [first] },
      { type: "output_text", text: "Warm.", annotations: [second] },
    ];

    expect(messagesOf([{ type: "message", id: "msg_1", role: "assistant", content }])).toEqual([
      { role: "assistant", content: "Sunny.\nWarm.", annotations: [first, second] },
    ]);
  });
});

describe("reasoning in parts", () => {
  const summary = [
    { type: "summary_text", text: "Look" },
    { type: "summary_text", text: "it up." },
  ];
  test.each<[string, JsonObject]>([
    ["a summary beside encrypted content", { type: "reasoning", id: "rs_1", encrypted_content: "x", summary }],
    ["a summary in one text", { type: "reasoning", index: 0, summary: "Look\nit up." }],
    ["a thought of Gemini", { text: "Look\nit up.", thought: true, thoughtSignature: "x" }],
    ["signed thinking of Anthropic", { type: "thinking", thinking: "Look\nit up.", signature: "x", index: 0 }],
    ["a signed text of Bedrock", { reasoningContent: { reasoningText: { text: "Look\nit up.", signature: "x" } } }],
  ])("is reasoning: %s", (_, part) => {
    expect(messagesOf([{ role: "assistant", content: [part, { type: "text", text: "Hi", index: 1 }] }])).toEqual([
      { role: "assistant", reasoning: "Look\nit up.", content: "Hi" },
    ]);
  });

  test.each<[JsonObject]>([
    [{ type: "redacted_thinking", data: "x" }],
    [{ type: "reasoning", id: "rs_1", summary: [] }],
  ])("is left out if it has no text: %j", (part) => {
    expect(messagesOf([{ role: "assistant", content: [part, { type: "text", text: "Hi" }] }])).toEqual([
      { role: "assistant", content: "Hi" },
    ]);
  });
});

test.each<[JsonObject]>([
  [{ type: "function_call", id: "fc_1", call_id: "c1", name: "lookup", arguments: '{"order":7}', status: "completed" }],
  [{ type: "tool_use", id: "c1", name: "lookup", input: {}, partial_json: '{"order":7}', index: 1 }],
  [{ type: "tool_call_chunk", id: "c1", name: "lookup", args: '{"order":7}', index: 0 }],
  [{ type: "lookup_call", id: "c1", action: { order: 7 }, status: "completed" }],
  [{ functionCall: { id: "c1", name: "lookup", args: { order: 7 } }, thoughtSignature: "x" }],
])("a call in a part is a call, shown once beside the same call in the message: %j", (part) => {
  const content = [{ type: "text", text: "One moment.", index: 0 }, part];
  const other = { ...call, id: "c2" };
  const message = { role: "assistant", content: "One moment." };

  expect(messagesOf([{ role: "assistant", content }])).toEqual([{ ...message, tool_calls: [call] }]);
  expect(messagesOf([{ role: "assistant", content, tool_calls: [call] }])).toEqual([
    { ...message, tool_calls: [call] },
  ]);
  expect(messagesOf([{ role: "assistant", content, tool_calls: [other] }])).toEqual([
    { ...message, tool_calls: [other, call] },
  ]);
});

test("a reply with a search by the provider is the search and the answer", () => {
  const items = [
    { type: "web_search_call", id: "ws_1", status: "completed", action: { type: "search", query: "Paris" } },
    {
      type: "message",
      id: "m",
      role: "assistant",
      status: "completed",
      content: [{ type: "output_text", text: "Sunny." }],
    },
  ];
  const args = { type: "search", query: "Paris" };

  expect(messagesOf(items)).toEqual([
    {
      role: "assistant",
      content: "Sunny.",
      tool_calls: [{ id: "ws_1", type: "function", function: { name: "web_search", arguments: args } }],
    },
  ]);
});

test.each([
  [[{ type: "text", content: "sunny" }]],
  [[{ type: "text", text: "sunny", annotations: null, _meta: { id: 1 } }]],
])("a tool's result in text parts is the text: %j", (content) => {
  expect(messagesOf([{ role: "tool", tool_call_id: "c1", content }])).toEqual([
    { role: "tool", tool_call_id: "c1", content: "sunny" },
  ]);
});

test("rows of a tool's own data with texts and ids stay data", () => {
  const rows = [
    { id: 7, text: "Umbrella" },
    { id: 8, text: "Coat" },
  ];

  expect(messagesOf([{ role: "tool", tool_call_id: "c1", content: rows }])).toMatchObject([{ content: rows }]);
});

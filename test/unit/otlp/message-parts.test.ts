import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../../lib/domain/json.ts";
import { messagesOfAiSdk } from "../../../lib/conventions/payloads/ai-sdk-messages.ts";
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
  const assistantParts = (...content: readonly JsonObject[]) => messagesOfAiSdk([{ role: "assistant", content }]);
  const ids = { toolCallId: "c1", toolName: "lookup" };
  const namedResult = { ...result, name: "lookup" };

  expect(assistantParts({ type: "tool-call", ...ids, args: { order: 7 } })).toEqual([
    { role: "assistant", tool_calls: [call] },
  ]);
  expect(assistantParts({ type: "tool-result", ...ids, result: { state: "shipped" } })).toEqual([namedResult]);
  expect(
    assistantParts({ type: "tool-result", ...ids, output: { type: "json", value: { state: "shipped" } } }),
  ).toEqual([namedResult]);
  expect(messagesOfAiSdk([{ role: "user", content: "Hi" }])).toEqual([{ role: "user", content: "Hi" }]);
});

test("a provider's settings and ids in the AI SDK's parts, calls and results are left out", () => {
  const provider = { providerOptions: { cache: true }, providerMetadata: { id: 7 } };
  const callPart = { type: "tool-call", toolCallId: "c1", toolName: "lookup", input: {}, ...provider };

  expect(
    messagesOfAiSdk([
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

  expect(messagesOfAiSdk([{ role: "user", content: [cached] }])).toEqual([{ role: "user", content: [cached] }]);
  expect(messagesOfAiSdk([{ role: "tool", content: [{ ...failed, output: error }] }])).toEqual([
    { role: "tool", tool_call_id: "c1", name: "lookup", isError: true, content: error },
  ]);
  expect(messagesOf([{ role: "assistant", parts: [{ ...toolCallPart, server: "shop" }] }])).toEqual([
    { role: "assistant", tool_calls: [{ ...call, server: "shop" }] },
  ]);
});

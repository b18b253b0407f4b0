import { describe, expect, test } from "vitest";
import { contributionsOf, totalTokens } from "../../../lib/domain/traces/totals.ts";
import { toolCalls } from "../../../lib/metrics/trace/tool-calls.ts";
import { recordedRequest, traceIn } from "../../support/otlp/otlp-fixtures.ts";

const call = { id: "call_1", type: "function", function: { name: "lookup_order", arguments: { order: 1042 } } };
const answer = { role: "assistant", content: "It left our warehouse and arrives tomorrow." };

describe.each(["ai-sdk.pb", "ai-sdk-legacy.pb"])("a streaming agent of the AI SDK recorded in %s", (file) => {
  const trace = traceIn(recordedRequest(file));
  const ofKind = (kind: string) => trace.spans.filter((span) => span.kind === kind);

  test("has the name of the function as its name", () => {
    expect(trace).toMatchObject({ name: "answer_customer", session_id: "chat-7", user_id: "customer-12" });
    expect(ofKind("AGENT")).toMatchObject([{ name: "answer_customer", metadata: { branch: "north" } }]);
  });

  test("has its output after the call that led to it", () => {
    const output = Array.isArray(trace.output) ? trace.output : [];

    expect(output[0]).toEqual({ role: "assistant", tool_calls: [call] });
    expect(output.at(-1)).toMatchObject(answer);
  });

  test("has the call and the tool's result in the model's input", () => {
    const second = ofKind("LLM").find(({ input }) => Array.isArray(input) && input.length > 2);

    expect(second?.input).toMatchObject([
      { role: "system", content: "You answer customers of a shop." },
      { role: "user", content: "Where is my order 1042?" },
      { role: "assistant", tool_calls: [call] },
      { role: "tool", tool_call_id: "call_1", content: { state: "shipped" } },
    ]);
  });

  test("has the tokens, settings and time to first token of every model call", () => {
    const expected = {
      model: "gpt-5.4-mini-2026-03-17",
      token_usage: { prompt_tokens: 60, completion_tokens: 20, cache_read_tokens: 16, reasoning_tokens: 8 },
      model_parameters: { temperature: 0.2, tools: [{ type: "function", name: "lookup_order" }] },
      completion_start_time: expect.stringContaining("2026-") as string,
    };

    expect(ofKind("LLM")).toMatchObject([expected, expected]);
  });

  test("counts the tokens of its model calls, which its other spans repeat", () => {
    const calls = trace.spans.filter(({ kind }) => kind === "LLM");

    expect(calls.map(({ token_usage: usage }) => usage)).toEqual([expect.anything(), expect.anything()]);
    expect(trace.spans.filter(({ token_usage: usage }) => usage !== null).length).toBeGreaterThan(calls.length);
    expect(totalTokens(contributionsOf(trace.spans))).toBe(totalTokens(contributionsOf(calls)));
  });

  test("has a tool call with the arguments that the model requested", () => {
    expect(toolCalls(trace)).toMatchObject([
      { name: "lookup_order", parameters: { order: 1042 }, result: { state: "shipped" }, error: null },
    ]);
  });
});

test("a throwing tool of the AI SDK is an error of the tool, not of the agent", () => {
  const trace = traceIn(recordedRequest("ai-sdk-broken-tool.pb"));

  expect(trace).toMatchObject({ status: "COMPLETED", name: "answer_customer" });
  expect(toolCalls(trace)).toMatchObject([
    { name: "lookup_order", result: null, error: "TypeError: The order system does not answer." },
  ]);
});

test("a model call of the AI SDK that the provider refuses is an error of the agent", () => {
  const trace = traceIn(recordedRequest("ai-sdk-missing-model.pb"));
  const failed = trace.spans.filter(({ status }) => status === "ERROR");

  expect(trace).toMatchObject({ status: "ERROR", output: null, session_id: "chat-7" });
  expect(failed.map(({ kind }) => kind).toSorted()).toEqual(["AGENT", "CHAIN", "LLM"]);
  expect(failed.map(({ error }) => error)).toEqual(
    failed.map(() => "AI_APICallError: The model gpt-0 does not exist."),
  );
});

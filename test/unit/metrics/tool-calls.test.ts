import { describe, expect, test } from "vitest";
import { toolCalls, toolsCalled } from "../../../lib/metrics/trace/tool-calls.ts";
import { span, trace } from "../judge/fixtures.ts";

describe("the tools a trace called", () => {
  test("are its tool spans, in order", () => {
    const spans = [
      span("b", { kind: "TOOL", name: "second", input: { n: 2 }, started_at: "2026-03-01T10:00:02+00:00" }),
      span("c", { kind: "LLM", name: "model", output: { tool_calls: [{ function: { name: "x", arguments: "{}" } }] } }),
      span("a", { kind: "TOOL", name: "first", input: "text", error: "gone", started_at: "2026-03-01T10:00:01+00:00" }),
    ];

    expect(toolsCalled(trace({ spans }))).toEqual([
      { name: "first", parameters: "text" },
      { name: "second", parameters: { n: 2 } },
    ]);
    expect(toolCalls(trace({ spans }))[0]).toMatchObject({ error: "gone", span: 2 });
  });

  test.each([
    [
      "OpenAI",
      { role: "assistant", tool_calls: [{ type: "function", function: { name: "f", arguments: '{"a":1}' } }] },
    ],
    ["OpenAI's responses", [{ type: "function_call", name: "f", arguments: '{"a":1}' }]],
    [
      "Anthropic",
      {
        content: [
          { type: "text", text: "x" },
          { type: "tool_use", name: "f", input: { a: 1 } },
        ],
      },
    ],
    ["Gemini", { candidates: [{ content: { parts: [{ functionCall: { name: "f", args: { a: 1 } } }] } }] }],
  ])("are what the models asked for where there are no tool spans: %s", (_, output) => {
    const spans = [span("a", { kind: "LLM", output })];

    expect(toolsCalled(trace({ spans }))).toEqual([{ name: "f", parameters: { a: 1 } }]);
  });

  test("are read from the trace's own output where it has neither", () => {
    const output = {
      messages: [{ role: "assistant", tool_calls: [{ function: { name: "f", arguments: "not JSON" } }] }],
    };

    expect(toolCalls(trace({ spans: [], output }))).toEqual([
      { name: "f", parameters: "not JSON", result: null, error: null, span: null, spanId: "" },
    ]);
  });

  test("are none where only words or definitions look like calls", () => {
    const output = { tools: [{ type: "function", function: { name: "f", description: "d" } }], text: "tool_use f" };

    expect(toolCalls(trace({ spans: [span("a", { kind: "LLM", output })] }))).toEqual([]);
  });
});

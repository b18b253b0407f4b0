import { describe, expect, test } from "vitest";
import { toolCalls, toolsCalled } from "../../../lib/metrics/trace/tool-calls.ts";
import { span, trace } from "../judge/fixtures.ts";

describe("the tool calls of a trace", () => {
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
  ])("are the calls that the models requested where there are no tool spans: %s", (_, output) => {
    const spans = [span("a", { kind: "LLM", output })];

    expect(toolsCalled(trace({ spans }))).toEqual([{ name: "f", parameters: { a: 1 } }]);
  });

  test("have the argument names from the model's calls where a span has none, each call once", () => {
    const toolCall = (id: string, city: string) => ({
      id,
      function: { name: "f", arguments: JSON.stringify({ city }) },
    });
    const at = (second: number) => ({ started_at: `2026-03-01T10:00:0${second}+00:00` });
    const tool = (id: string, fields: Parameters<typeof span>[1]) => span(id, { kind: "TOOL", name: "f", ...fields });
    const spans = [
      span("m", {
        kind: "LLM",
        output: { tool_calls: [toolCall("c1", "Paris"), toolCall("c2", "Rome"), toolCall("c3", "Oslo")] },
        ...at(1),
      }),
      tool("a", { input: null, ...at(2) }),
      tool("b", { input: "Rome", ...at(3) }),
      tool("c", { input: "Bergen", ...at(4) }),
      tool("d", { input: null, metadata: { "gen_ai.tool.call.id": "c1" }, ...at(5) }),
      tool("e", { input: { city: "Bonn" }, ...at(6) }),
    ];

    expect(toolsCalled(trace({ spans })).map(({ parameters }) => parameters)).toEqual([
      { city: "Paris" },
      { city: "Rome" },
      "Bergen",
      { city: "Paris" },
      { city: "Bonn" },
    ]);
  });

  test("are read from the trace's own output where it has neither", () => {
    const output = {
      messages: [{ role: "assistant", tool_calls: [{ function: { name: "f", arguments: "not JSON" } }] }],
    };

    expect(toolCalls(trace({ spans: [], output }))).toEqual([
      { name: "f", parameters: "not JSON", result: null, error: null, span: null, spanId: "" },
    ]);
  });

  test("are empty where only texts or definitions resemble calls", () => {
    const output = { tools: [{ type: "function", function: { name: "f", description: "d" } }], text: "tool_use f" };

    expect(toolCalls(trace({ spans: [span("a", { kind: "LLM", output })] }))).toEqual([]);
  });
});

import { describe, expect, test } from "vitest";
import { conversationOf } from "../../../../lib/judge/transcript/conversation.ts";
import type { Span } from "../../../../lib/domain/traces/trace.ts";
import { span, trace } from "../fixtures.ts";

const chatMessage = (role: string, content: string) => ({ role, content });
const user = (text: string) => chatMessage("user", text);
const agent = (text: string) => chatMessage("assistant", text);
const call = (id: string, messages: Span["input"], fields: Partial<Span> = {}): Span =>
  span(id, { kind: "LLM", input: { messages }, started_at: `2026-03-01T10:00:0${id}+00:00`, ...fields });
const turnsOf = (fields: Parameters<typeof trace>[0]): readonly string[] =>
  conversationOf(trace({ input: null, ...fields })).turns.map(({ text, span: at }) => `${at ?? "input"} ${text}`);

describe("the user's messages", () => {
  test("are every turn of the whole record, at the model call in which it appears first", () => {
    const first = [chatMessage("system", "Be brief."), user("One"), agent("1?"), user("Yes")];
    const spans = [call("1", first.slice(0, 2)), call("2", first), call("3", [...first, agent("2?"), user("Yes")])];

    const { rules, turns } = conversationOf(trace({ input: "One", spans }));

    expect(rules).toEqual(["Be brief."]);
    expect(turns).toEqual([
      { number: 1, text: "One", precedingReply: "", span: null },
      { number: 2, text: "Yes", precedingReply: "1?", span: 2 },
      { number: 3, text: "Yes", precedingReply: "2?", span: 3 },
    ]);
  });

  test.each([
    [
      "in a history that forgets its beginning",
      [call("1", [user("A"), agent("x"), user("B")]), call("2", [user("B"), agent("y"), user("C")])],
      ["1 A", "1 B", "2 C"],
    ],
    ["in a list of parts", [call("1", [{ role: "user", content: [{ type: "text", text: "A" }] }])], ["1 A"]],
    [
      "as Gemini writes it",
      [span("a", { kind: "LLM", input: { contents: [{ role: "user", parts: [{ text: "A" }] }] } })],
      ["1 A"],
    ],
    [
      "as LangChain writes it",
      [span("a", { kind: "LLM", input: { messages: [[{ type: "human", data: { content: "A" } }]] } })],
      ["1 A"],
    ],
    ["to an agent at the top", [span("a", { kind: "AGENT", input: { query: "A" } })], ["1 A"]],
  ])("are read %s", (_, spans, expected) => {
    expect(turnsOf({ spans })).toEqual(expected);
  });

  test("are not the results of tools, which Anthropic's role of the user brings", () => {
    const result = { role: "user", content: [{ type: "tool_result", tool_use_id: "c1", content: "sunny" }] };

    expect(turnsOf({ spans: [call("1", [user("Rain?"), agent("One moment."), result])] })).toEqual(["1 Rain?"]);
  });

  test("are not what a tool or another agent sends to a model", () => {
    const spans = [
      call("1", [user("Plan my trip to Rome.")]),
      span("2", { kind: "TOOL", started_at: "2026-03-01T10:00:02+00:00" }),
      call("3", [user("Summarise this page.")], { parent_span_id: "2" }),
      call("4", [user("Give the conversation a title.")]),
    ];

    expect(turnsOf({ spans })).toEqual(["1 Plan my trip to Rome."]);
  });

  test("are the trace's input where a prompt only wraps it", () => {
    const spans = [call("1", [user("Context: none\nQuestion: Where is my parcel now?")])];

    expect(turnsOf({ input: "Where is my parcel now?", spans })).toEqual(["input Where is my parcel now?"]);
  });

  test("begin before the trace where the trace continues a session", () => {
    const spans = [call("1", [user("Umbrella?"), agent("No."), user("And tomorrow?")])];

    expect(turnsOf({ input: "And tomorrow?", spans })).toEqual(["1 Umbrella?", "input And tomorrow?"]);
  });

  test("are empty where there is none", () => {
    expect(conversationOf(trace({ input: { a: 1 }, spans: [span("a")] }))).toEqual({ rules: [], turns: [] });
  });
});

test("histories that cannot be compared with little work are another conversation", () => {
  const equal = Array.from({ length: 20_000 }, () => user("m"));
  const spans = [call("1", equal), call("2", [...equal.slice(10_000), user("z")])];

  expect(turnsOf({ spans })).toHaveLength(20_000);
});

import { expect, test } from "vitest";
import type { Span } from "../../../lib/client/interface.ts";
import { messagesIn, textOfValue } from "../../../lib/console/content/chat.ts";
import { buildTranscript, type TranscriptEntry } from "../../../lib/console/trace/transcript.ts";
import { buildSpanTree } from "../../../lib/console/trace/span-tree.ts";

let spanCount = 0;
const span = (fields: Partial<Span>): Span => {
  spanCount += 1;
  const started_at = new Date(Date.UTC(2026, 10, 20) + spanCount * 1_000).toISOString();
  return {
    span_id: `s${spanCount}`,
    trace_id: "t",
    parent_span_id: null,
    name: "step",
    kind: "OTHER",
    status: "OK",
    input: null,
    output: null,
    model: null,
    token_usage: null,
    metadata: {},
    started_at,
    ended_at: null,
    error: null,
    completion_start_time: null,
    model_parameters: null,
    cost: null,
    latency_ms: null,
    time_to_first_token_ms: null,
    ...fields,
  };
};

const summaries = (turns: readonly TranscriptEntry[]): readonly string[] =>
  turns.map((turn) => {
    if (turn.kind === "repeats") return `${turn.name} x${turn.spans.length}`;
    if (turn.kind === "tool" || turn.kind === "failure") return `${turn.kind}: ${turn.span.name}`;
    return `${turn.kind}: ${turn.text}${turn.isFinal ? " (final)" : ""}`;
  });

const user = (content: string) => ({ role: "user", content });
const assistant = (content: string) => ({ role: "assistant", content });

test("a message that is sent to the model again is no new turn, and two equal messages are two turns", () => {
  const system = { role: "system", content: "Be kind." };
  const spans = [
    span({ kind: "LLM", input: [system, user("yes")], output: "Sure?" }),
    span({ kind: "LLM", input: [system, user("yes"), assistant("Sure?"), user("yes")], output: "Done." }),
  ];

  expect(summaries(buildTranscript({ input: "yes", output: "Done.", spans }))).toEqual([
    "user: yes",
    "system: Be kind.",
    "model: Sure?",
    "user: yes",
    "model: Done. (final)",
  ]);
});

test("consecutive calls of one tool are one line, except failed calls", () => {
  const calls = (count: number, fields: Partial<Span> = {}) =>
    Array.from({ length: count }, () => span({ kind: "TOOL", name: "grep", ...fields }));
  const spans = [...calls(219), ...calls(1, { status: "ERROR", error: "timed out" }), ...calls(2)];

  expect(summaries(buildTranscript({ input: null, output: null, spans }))).toEqual([
    "grep x219",
    "tool: grep",
    "tool: grep",
    "tool: grep",
  ]);
});

test("a failed step is shown, whatever its kind", () => {
  const spans = [
    span({ kind: "CHAIN", name: "plan", status: "ERROR" }),
    span({ kind: "LLM", name: "chat", error: "no credit" }),
  ];

  expect(summaries(buildTranscript({ input: "Hi", output: null, spans }))).toEqual([
    "user: Hi",
    "failure: plan",
    "failure: chat",
  ]);
});

test.each([
  ["a text", "Hello"],
  ["a message", assistant("Hello")],
  ["parts", { role: "assistant", content: [{ type: "text", text: "Hello" }] }],
  ["messages in a field", { messages: [user("Hi"), assistant("Hello")] }],
  ["messages as JSON", JSON.stringify([assistant("Hello")])],
  ["one text in a field", { answer: "Hello" }],
])("%s is shown as text", (_, value) => {
  expect(textOfValue(value)).toBe("Hello");
});

test("data is not mistaken for messages", () => {
  const data = [{ rows: [1, 2] }, [1], 7, null, { role: "admin" }];

  expect(data.map((value) => messagesIn(value, "AGENT", "output"))).toEqual([null, null, null, null, null]);
});

test("every span has a place, also spans in a circle and spans whose parent is missing", () => {
  const spans = [
    span({ span_id: "a" }),
    span({ span_id: "b", parent_span_id: "a" }),
    span({ span_id: "c", parent_span_id: "b" }),
    span({ span_id: "d", parent_span_id: "nowhere" }),
    span({ span_id: "e", parent_span_id: "f" }),
    span({ span_id: "f", parent_span_id: "e" }),
  ];

  expect(
    buildSpanTree(spans).map(({ span: { span_id: id }, depth, descendantCount: below }) => [id, depth, below]),
  ).toEqual([
    ["a", 0, 2],
    ["b", 1, 1],
    ["c", 2, 0],
    ["d", 0, 0],
    ["e", 0, 1],
    ["f", 1, 0],
  ]);
});

test("a line of many steps shows the names of the first steps and the number of the others", () => {
  const spans = Array.from({ length: 900 }, (_, index) => span({ kind: "TOOL", name: `step ${index}` }));

  expect(summaries(buildTranscript({ input: "go", output: null, spans }, false))).toEqual([
    "user: go",
    "step 0 ×1, step 1 ×1, step 2 ×1, step 3 ×1, step 4 ×1 and 895 others x900",
  ]);
});

test("a message of an earlier answer in a model's input has no span: it is not from that call", () => {
  const spans = [
    span({
      kind: "LLM",
      name: "second call",
      input: [user("Hi"), assistant("Hello"), user("More")],
      output: [assistant("One"), assistant("Two")],
    }),
  ];

  const turns = buildTranscript({ input: null, output: null, spans });

  expect(turns.map((turn) => [turn.kind, "span" in turn ? (turn.span?.name ?? null) : null])).toEqual([
    ["user", null],
    ["model", null],
    ["user", null],
    ["model", "second call"],
    ["model", "second call"],
  ]);
});

test("data without messages stay data, and a picture joins the input that has its words", () => {
  const image = { type: "image_url", image_url: { url: "data:image/png;base64,AAAA" } };
  const question = { role: "user", content: [{ type: "text", text: "What is this?" }, image] };
  const turns = buildTranscript({
    input: "What is this?",
    output: { kind: "map", of: ["Oslo"] },
    spans: [span({ kind: "LLM", input: [question], output: { role: "assistant", content: "A map." } })],
  });

  expect(turns.map((turn) => ("text" in turn ? [turn.kind, turn.parts] : [turn.kind]))).toEqual([
    [
      "user",
      [
        { type: "text", text: "What is this?" },
        { type: "image", url: "data:image/png;base64,AAAA" },
      ],
    ],
    ["model", undefined],
    ["model", [{ type: "data", value: { kind: "map", of: ["Oslo"] } }]],
  ]);
});

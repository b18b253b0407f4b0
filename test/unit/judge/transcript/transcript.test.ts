import { describe, expect, test } from "vitest";
import type { Json } from "../../../../lib/domain/json.ts";
import { renderTranscript } from "../../../../lib/judge/transcript/transcript.ts";
import { span, trace } from "../fixtures.ts";

const render = (fields: Parameters<typeof trace>[0] = {}, budget = 60_000) => renderTranscript(trace(fields), budget);
const count = (text: string, part: string): number => text.split(part).length - 1;
const long = (word: string): string => `${word} `.repeat(20);

/** An agent's model calls, each with the whole conversation up to then. */
const conversation = (turns: number) => {
  const messages: Json[] = [
    { role: "system", content: long("policy") },
    { role: "user", content: long("question") },
  ];
  return Array.from({ length: turns }, (_, turn) => {
    const input = { messages: [...messages] };
    const output = { role: "assistant", content: long(`answer${turn}`) };
    messages.push(output, { role: "tool", content: JSON.stringify({ rows: [long(`row${turn}`)] }) });
    return span(`s${turn}`, { kind: "LLM", input, output, started_at: `2026-03-01T10:00:0${turn}+00:00` });
  });
};

describe("a transcript", () => {
  test("shows the trace and its spans with kind, status, place and time", () => {
    expect(render().text).toBe(`bbbb Trace status COMPLETED, 2.000 s, spans 2: "support-agent"
bbbb Trace input:
 bbbb [1] user: Where is order ORD-1?
bbbb Trace output:
 bbbb [1] assistant: It was shipped on Monday.
bbbb #1 AGENT OK: "a", 1.000 s
bbbb #1 input:
 {"query":"Where is order ORD-1?"}
bbbb #1 output: null
bbbb #2 TOOL OK in #1: "get_order", 1.000 s
bbbb #2 input:
 {"id":"ORD-1"}
bbbb #2 output:
 {"status":"shipped"}`);
  });

  test("does not contain the user's id", () => {
    expect(render({ user_id: "user-77", session_id: "session-88" }).text).not.toMatch(/user-77|session-88/u);
  });

  test("says what the exporter of a span left out", () => {
    const others = { dropped_attributes: 3, dropped_events: 1 };

    expect(render({ spans: [span("s", { metadata: { "otel.others": others } })] }).text).toMatch(
      /#1 \w+ OK, without 3 attributes, 1 event that the exporter left out: "s"/u,
    );
  });

  test("shows errors, metadata and tool definitions, but no sampling parameters", () => {
    const { text } = render({
      spans: [
        span("s", {
          error: "TimeoutError: 5000 ms",
          metadata: { retry: 2 },
          model_parameters: { temperature: 0.2, tools: [{ name: "get_order" }] },
        }),
      ],
    });

    expect(text).toContain("#1 error:\n TimeoutError: 5000 ms");
    expect(text).toContain('#1 metadata:\n {"retry":2}');
    expect(text).toContain("get_order");
    expect(text).not.toContain("temperature");
  });

  test("shows metadata of a span that repeats the trace's once", () => {
    const metadata = { plan: "pro", limits: { seats: 3 } };

    const { text } = render({ metadata, spans: [span("s", { metadata: { ...metadata, retry: 2 } })] });

    expect(count(text, "pro")).toBe(1);
    expect(text).toContain('#1 metadata:\n {"retry":2}');
  });

  test("shows an attribute that the program sets on all spans once", () => {
    const spans = ["a", "b", "c"].map((id, at) =>
      span(id, { metadata: { plan: "pro", ...(at === 2 && { retry: 2 }) } }),
    );

    const { text } = render({ spans });

    expect(count(text, "pro")).toBe(1);
    expect(text).toContain('#3 metadata:\n {"retry":2}');
  });

  test("shows tool definitions once, as signatures unless they say more than a signature", () => {
    const city = { title: "City", type: "string" };
    const unit = { type: "string", enum: ["C", "F"] };
    const schema = { type: "object", properties: { city, unit }, required: ["city"], additionalProperties: false };
    const tools = [
      { type: "function", function: { name: "weather", description: "Current weather", parameters: schema } },
      { name: "plain", input_schema: { type: "object" } },
      { name: "either", inputSchema: { oneOf: [schema, schema] } },
      { name: "cached", parameters: null, cache_control: { type: "ephemeral" } },
    ];
    const call = { kind: "LLM", model_parameters: { tools, tool_choice: { type: "auto" } } } as const;

    const { text } = render({ spans: [span("a", call), span("b", call)] });

    expect(text).toContain('weather(city: string, unit?: {"type":"string","enum":["C","F"]}): Current weather\n');
    expect(text).toContain("- plain()\n");
    expect(text).toContain("oneOf");
    expect(text).toContain("ephemeral");
    expect(text).not.toMatch(/"strict"|tool_choice/u);
    expect(count(text, "parameters:\n")).toBe(1);
  });

  test("shows each message of a growing conversation once", () => {
    const { text } = render({ spans: conversation(6) });

    for (const word of ["policy", "question", "answer0", "row0", "row4"])
      expect(count(text, long(word).trim())).toBe(1);
    expect(text).toContain("[1-10] (same as #5 input messages 1-10)");
  });

  test("references a tool's output that is repeated in a message's string", () => {
    const output = { rows: [{ id: 1, text: long("found") }] };
    const spans = [
      span("a", { kind: "TOOL", output }),
      span("b", { kind: "LLM", input: [{ role: "tool", content: JSON.stringify(output, null, 2) }] }),
    ];

    const { text } = render({ spans });

    expect(text).toContain("[1] tool: (same as #1 output)");
    expect(count(text, long("found").trim())).toBe(1);
  });

  test("references only a whole value or message: a part of another text is shown again", () => {
    const spans = [
      span("a", { kind: "TOOL", output: { first: long("found"), second: long("other") } }),
      span("b", { kind: "TOOL", input: long("found"), output: { again: long("found") } }),
      span("c", { kind: "LLM", input: [{ role: "user", content: long("asked"), name: "Ann" }] }),
      span("d", { kind: "TOOL", input: long("asked") }),
    ];

    const { text } = render({ spans });

    expect(count(text, long("found").trim())).toBe(3);
    expect(count(text, long("asked").trim())).toBe(2);
    expect(text).not.toContain("(same as");
  });

  test("references a message's text where that is its only content", () => {
    const spans = [
      span("a", { kind: "LLM", output: [{ role: "assistant", content: long("answer") }] }),
      span("b", { kind: "TOOL", input: long("answer") }),
    ];

    expect(render({ spans }).text).toContain("#2 input:\n (same as #1 output message 1)");
  });

  test("shows the texts and calls in a message's parts, in the form of any provider", () => {
    const cached = { type: "text", text: "Rain?", cache_control: { type: "ephemeral" } };
    const use = { type: "tool_use", id: "c1", name: "get_weather", input: { city: "Paris" } };
    const messages = [
      { role: "user", content: [cached] },
      { role: "assistant", content: [{ type: "text", text: "One moment.", index: 0 }, use] },
      { role: "user", content: [{ type: "tool_result", tool_use_id: "c1", content: "sunny" }] },
    ];
    const { text } = render({ spans: [span("s", { kind: "LLM", input: { messages } })] });

    expect(text).toContain(` bbbb [1] user: Rain?
 bbbb [2] assistant:
  One moment.
  {"tool_calls":[{"id":"c1","type":"function","function":{"name":"get_weather","arguments":{"city":"Paris"}}}]}
 bbbb [3] tool:
  sunny
`);
  });

  test("recognises a repeated message without its finish reason, and shows finish reasons that matter", () => {
    const answerWith = (reason: string) => ({ role: "assistant", content: long("answer"), finish_reason: reason });
    const spans = [
      span("a", { kind: "LLM", output: [answerWith("stop")] }),
      span("b", {
        kind: "LLM",
        input: [{ role: "assistant", content: long("answer") }],
        output: [answerWith("length")],
      }),
    ];

    const { text } = render({ spans });

    expect(text).toContain("#2 input:\n bbbb [1] assistant: (same as #1 output message 1)");
    expect(text).toContain('"finish_reason":"length"');
    expect(text).not.toContain('"stop"');
  });

  test("shows spans without content as one line, unless they failed", () => {
    const silent = (id: string, fields = {}) => span(id, { kind: "OTHER", name: `relay ${id}`, ...fields });
    const spans = [silent("a"), silent("b"), silent("c"), silent("d", { status: "ERROR" }), silent("e"), silent("f")];

    const { text } = render({ spans });

    expect(text).toContain('bbbb [#1-#3 3 spans of OTHER kind that tell nothing: "relay a", ...]\nbbbb #4 OTHER ERROR');
    expect(text).toContain("bbbb #5 OTHER");
    expect(text).not.toContain("#2 OTHER");
  });

  describe("of a step that records messages of its parent", () => {
    const question = { role: "user", content: long("question") };
    const answer = { role: "assistant", content: long("answer") };
    const inner = { kind: "CHAIN", parent_span_id: "a", input: [question], output: [question] } as const;
    const rendered = (fields: Parameters<typeof span>[1]): string =>
      render({
        spans: [
          span("a", { kind: "CHAIN", input: [question], output: [answer] }),
          span("b", { name: "step", ...inner, ...fields }),
        ],
      }).text;

    test.each([
      ["its input", {}],
      ["the answer in its input", { input: { messages: [question, answer] }, output: [answer] }],
      ["nothing to the end of a graph", { output: "__end__" }],
    ])("shows one line if it passes on %s", (_, fields) => {
      const text = rendered(fields);

      expect(text).toContain('#2 CHAIN OK in #1, passes on shown texts: "step"');
      expect(text).not.toMatch(/#2 (?:input|output)/u);
    });

    test.each([
      ["returns another message than it got", { output: [answer] }],
      ["returns nothing", { output: null }],
      ["got a message that its parent does not have", { input: [{ role: "user", content: "Hi" }], output: "__end__" }],
      ["failed", { status: "ERROR" }],
      ["has an error", { error: "refused" }],
      ["has metadata", { metadata: { retry: 2 } }],
      ["is a tool", { kind: "TOOL" }],
      ["is no step inside another", { parent_span_id: null }],
    ] as const)("shows the whole span if it %s", (_, fields) => {
      const text = rendered(fields);

      expect(text).toContain("#2 output:");
      expect(text).not.toContain("passes on");
    });

    test("shows the whole span if it has steps of its own", () => {
      const { text } = render({
        spans: [
          span("a", { kind: "CHAIN", input: [question], output: [answer] }),
          span("b", { ...inner }),
          span("c", { kind: "TOOL", parent_span_id: "b", input: "order 7" }),
        ],
      });

      expect(text).toContain("#2 output:");
      expect(text).not.toContain("passes on");
    });
  });

  test("keeps numbers as they were written", () => {
    expect(render({ input: { id: JSON.rawJSON("9007199254740993") } }).text).toContain("9007199254740993");
  });

  test("survives values nested a thousand deep", () => {
    let value: Json = "bottom";
    for (let depth = 0; depth < 1000; depth += 1) value = { inner: value };

    expect(render({ input: value }).text).toContain("inner");
  });

  test.each([null, "", {}, []])("reports an empty output: %j", (output) => {
    expect(render({ output, spans: [] }).text).toContain(`Trace output: ${JSON.stringify(output)}`);
  });
});

describe("a transcript of a long trace", () => {
  const spans = Array.from({ length: 10 }, (_, index) =>
    span(`s${index}`, {
      kind: "TOOL",
      input: { index },
      output: `start${index} ${"x".repeat(index * 2000)} end${index}`,
    }),
  );

  test("that fits its budget is complete", () => {
    expect(render({ spans }, 200_000).coverage.ratio).toBe(1);
  });

  test("is cut at its largest outputs first, keeps every span and reports what is missing", () => {
    const { text, coverage } = render({ spans }, 40_000);

    expect(text.length).toBeLessThanOrEqual(40_000);
    for (let index = 0; index < 10; index += 1) expect(text).toContain(`#${index + 1} TOOL OK`);
    expect(text).toContain("x".repeat(2000));
    expect(text).toContain("start9");
    expect(text).toContain("end9");
    expect(text).toMatch(/\[\.\.\. \d+ characters left out \.\.\.\]/u);
    expect(coverage.total_characters).toBeGreaterThan(90_000);
    expect(coverage.shown_characters).toBeLessThanOrEqual(40_000);
    expect(coverage.ratio).toBeGreaterThan(0.3);
    expect(coverage.ratio).toBeLessThan(0.5);
  });

  test("keeps the user's input and the answer before any tool output", () => {
    const { text } = render({ spans, input: "Q".repeat(5000), output: "A".repeat(5000) }, 20_000);

    expect(text).toContain("Q".repeat(5000));
    expect(text).toContain("A".repeat(5000));
  });

  test.each([1000, 5000, 30_000])("never exceeds a budget of %i, even with 5,000 spans and a giant input", (budget) => {
    const many = Array.from({ length: 5000 }, (_, index) =>
      span(`s${index}`, { input: "i".repeat(300), output: "🙂".repeat(200) }),
    );

    const { text, coverage } = render({ input: "Q".repeat(1_000_000), spans: many }, budget);

    expect(text.length).toBeLessThanOrEqual(budget);
    expect(text.isWellFormed()).toBe(true);
    expect(text).toContain("left out for length");
    expect(coverage.ratio).toBeLessThan(0.1);
  });
});

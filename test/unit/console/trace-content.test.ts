import { expect, test } from "vitest";
import type { Span } from "../../../lib/client/interface.ts";
import { chatIn, contentParts, messageText, modelCallOf } from "../../../lib/console/content/chat.ts";
import { searchTree } from "../../../lib/console/content/json.ts";
import { offeredTools } from "../../../lib/console/content/tools.ts";
import { alignSteps } from "../../../lib/console/trace/align.ts";
import { findSpans } from "../../../lib/console/trace/span-search.ts";
import { axisDuration, barInWindow, wholeWindow, windowAround, zoomBy } from "../../../lib/console/trace/zoom.ts";

const call = { id: "1", type: "function", function: { name: "find", arguments: '{"a":1}' } };
const readCall = { name: "find", arguments: { a: 1 }, result: "42" };

test.each([
  [
    "OpenAI's chat",
    [
      { role: "user", content: "Hi" },
      { role: "assistant", content: null, tool_calls: [call] },
      { role: "tool", tool_call_id: "1", content: "42" },
    ],
  ],
  [
    "OpenAI's Responses",
    {
      input: [
        { role: "user", content: "Hi" },
        { type: "function_call", call_id: "1", name: "find", arguments: '{"a":1}' },
        { type: "function_call_output", call_id: "1", output: "42" },
      ],
    },
  ],
  [
    "Anthropic",
    {
      messages: [
        { role: "user", content: "Hi" },
        { role: "assistant", content: [{ type: "tool_use", id: "1", name: "find", input: { a: 1 } }] },
        { role: "user", content: [{ type: "tool_result", tool_use_id: "1", content: "42" }] },
      ],
    },
  ],
  [
    "Gemini",
    {
      contents: [
        { role: "user", parts: [{ text: "Hi" }] },
        { role: "model", parts: [{ functionCall: { name: "find", args: { a: 1 } } }] },
        { role: "user", parts: [{ functionResponse: { name: "find", response: "42" } }] },
      ],
    },
  ],
  [
    "OpenInference",
    [
      { message: { role: "user", content: "Hi" } },
      { message: { role: "assistant", tool_calls: [{ tool_call: call }] } },
      { message: { role: "tool", tool_call_id: "1", content: "42" } },
    ],
  ],
  [
    "Vercel's AI SDK",
    {
      messages: [
        { role: "user", content: [{ type: "text", text: "Hi" }] },
        {
          role: "assistant",
          content: [{ type: "tool-call", toolCallId: "1", toolName: "find", input: { a: 1 } }],
        },
        {
          role: "tool",
          content: [{ type: "tool-result", toolCallId: "1", toolName: "find", output: { type: "text", value: "42" } }],
        },
      ],
    },
  ],
  [
    "LangChain",
    [
      [
        { lc: 1, id: ["langchain", "schema", "HumanMessage"], kwargs: { content: "Hi" } },
        { type: "ai", data: { content: "", tool_calls: [{ id: "1", name: "find", args: { a: 1 } }] } },
        { type: "tool", data: { content: "42", tool_call_id: "1" } },
      ],
    ],
  ],
])(
  "the input of a model call of %s, also as JSON text, is a conversation whose calls have their results",
  (_, input) => {
    for (const form of [input, JSON.stringify(input)]) {
      const modelCall = modelCallOf({ kind: "LLM", input: form, output: { role: "assistant", content: "Done" } });
      expect(modelCall?.messages.map(({ role, content, calls }) => [role, content, calls])).toEqual([
        ["user", "Hi", []],
        ["assistant", null, [readCall]],
        ["assistant", "Done", []],
      ]);
      expect(modelCall?.reply).toBe(2);
    }
  },
);

test("the messages of a span that is no model call are a chat, with the entries beside them", () => {
  const messages = [
    { role: "user", content: "Hi" },
    { role: "assistant", content: "Hello" },
    { role: "user", content: "Find it" },
  ];
  for (const kind of ["AGENT", "CHAIN", "TOOL", "OTHER"] as const) {
    expect(chatIn({ messages, plan: 1 }, kind, "input")).toMatchObject({ messages, others: { plan: 1 } });
    expect(chatIn(messages, kind, "input")).toMatchObject({ messages, others: {} });
  }
});

test.each([
  [{ to: "alice" }],
  [{ stderr: "# not found" }],
  [{ text: "# Title" }],
  [{ text: "# Title", language: "en" }],
  [{ type: "file", path: "/a", content: "# Title" }],
  [{ role: "admin", name: "Eve", content: "note" }],
])("%j is data, not a text or a message: no key is lost", (value) => {
  expect([chatIn(value, "TOOL", "input"), chatIn(value, "TOOL", "output"), messageText(value)]).toEqual([
    null,
    null,
    null,
  ]);
});

test.each([
  [{ type: "image_url", image_url: { url: "data:image/png;base64,AA" } }],
  [{ type: "input_image", image_url: "data:image/png;base64,AA" }],
  [{ type: "image", source: { type: "base64", media_type: "image/png", data: "AA" } }],
  [{ inlineData: { mimeType: "image/png", data: "AA" } }],
  [{ type: "image", image: "AA", mediaType: "image/png" }],
])("the image in %j is read", (part) => {
  expect(contentParts([{ type: "text", text: "Look" }, part])).toEqual([
    { type: "text", text: "Look" },
    { type: "image", url: "data:image/png;base64,AA" },
  ]);
});

test("tools of every provider have a name, a description and a schema", () => {
  const schema = { type: "object" };
  const tool = { name: "find", description: "Finds", parameters: schema };
  const forms = [
    [{ type: "function", function: tool }],
    [JSON.stringify(tool)],
    [{ name: "find", description: "Finds", input_schema: schema }],
    [{ functionDeclarations: [tool] }],
    { find: { description: "Finds", inputSchema: schema } },
  ];
  expect(forms.map((form) => offeredTools(form))).toEqual(forms.map(() => [tool]));
});

test("a search of data looks into JSON texts in three texts, and stops at a number of matches", () => {
  const nested = (depth: number): string => {
    const text = JSON.stringify({ deep: "needle" });
    return Array.from({ length: depth }).reduce<string>((inner) => JSON.stringify({ inner }), text);
  };
  expect(searchTree({ a: nested(2) }, "NEEDLE")).toEqual({ paths: ["/a/inner/inner/deep"], isComplete: true });
  // The fourth text is not parsed, but searched as a text.
  expect(searchTree({ a: nested(3) }, "needle").paths).toEqual(["/a/inner/inner/inner"]);
  const { paths, isComplete } = searchTree(
    Array.from({ length: 100_000 }, () => "needle"),
    "needle",
  );
  expect([paths.length, isComplete]).toEqual([500, false]);
});

test("a text of any length is searched to its end, in the data of a span and in the spans of a trace", () => {
  const text = `${"x".repeat(300_000)} Needle`;
  const span = { span_id: "a", name: "step", input: { list: [text, 7, null] }, output: null } as unknown as Span;

  expect(searchTree({ text }, "needle").paths).toEqual(["/text"]);
  expect(findSpans([span], "needle")).toEqual(["a"]);
  expect(findSpans([span], "list")).toEqual(["a"]);
  expect(findSpans([span], "7")).toEqual(["a"]);
  expect(findSpans([span], "null")).toEqual([]);
});

const node = (name: string) => ({
  span: { span_id: name, name, kind: "TOOL" } as Span,
  depth: 0,
  from: 0,
  to: 0,
  descendantCount: 0,
});

/** A step of each letter. */
const nodes = (names: string) => Array.from(names, node);

const aligned = (base: string, other: string): string =>
  alignSteps(nodes(base), nodes(other))
    .map((pair) => `${pair.base?.span.name ?? "-"}${pair.other?.span.name ?? "-"}`)
    .join(" ");

test("steps of two traces are aligned in order, with the steps of one side between them", () => {
  expect(aligned("abcd", "abxcd")).toBe("aa bb -x cc dd");
  expect(aligned("xaby", "zbaw")).toBe("x- a- -z bb y- -a -w");
  expect(aligned("xacbdy", "zacwbdv")).toBe("x- -z aa cc -w bb dd y- -v");
  expect(aligned("xaay", "aw")).toBe("x- aa a- y- -w");
  expect(aligned("", "ab")).toBe("-a -b");
  const long = "abcdefghij".repeat(300);
  const pairs = alignSteps(nodes(`x${long}x`), nodes(`y${long.slice(5)}y`));
  // Too long for the most pairs.
  expect(pairs.filter(({ base, other }) => base !== null && other !== null).length).toBeGreaterThan(2_900);
});

test("a zoomed timeline keeps the place under the pointer and stays within the whole", () => {
  const zoomed = zoomBy(wholeWindow, 0.5, 0.25);
  expect(zoomed).toEqual({ from: 0.125, to: 0.625 });
  expect(zoomBy(zoomed, 100)).toEqual(wholeWindow);
  expect(windowAround({ start: 0, width: 0.5 }).from).toBe(0);
  expect(barInWindow({ start: 0.125, width: 0.25 }, zoomed)).toEqual({ start: 0, width: 0.5 });
});

test("a zoomed bar has its true length, and the minimum after the zoom only", () => {
  // 45 ms of 101 s.
  const bar = { start: 0.5, width: 0.045 / 101 };
  const zoomed = windowAround(bar);

  expect(barInWindow(bar, wholeWindow).width).toBe(0.004);
  expect(barInWindow(bar, zoomed).width).toBeCloseTo(1 / 1.2);
  expect(barInWindow({ start: 0.5, width: bar.width / 9 }, zoomed).width).toBeCloseTo(1 / 1.2 / 9);
  const { from, to } = windowAround({ start: 0.5, width: 0 });
  expect([to - from, (from + to) / 2].map((value) => value.toFixed(6))).toEqual(["0.000100", "0.500000"]);
});

test("the times of an axis differ, however narrow its window", () => {
  const axis = (start: number, range: number) => [0, 0.5, 1].map((share) => axisDuration(start + range * share, range));

  expect(axis(0, 7_000)).toEqual(["0 ms", "3.5 s", "7.0 s"]);
  expect(axis(62_000, 54)).toEqual(["1 min 2.000 s", "1 min 2.027 s", "1 min 2.054 s"]);
  expect(axis(119_999.6, 54)).toEqual(["2 min 0.000 s", "2 min 0.027 s", "2 min 0.054 s"]);
  expect(axis(59_000, 2_000)).toEqual(["59.0 s", "1 min 0.0 s", "1 min 1.0 s"]);
  expect(axis(7_200_000, 20_000)).toEqual(["2 h 0 min 0 s", "2 h 0 min 10 s", "2 h 0 min 20 s"]);
  expect(axis(0, 7_200_000)).toEqual(["0 ms", "1 h 0 min", "2 h 0 min"]);
  expect(axis(1, 0.5)).toEqual(["1.00 ms", "1.25 ms", "1.50 ms"]);
});

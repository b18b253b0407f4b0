import { expect, test } from "vitest";
import { saysSomething } from "../../../lib/domain/says-something.ts";
import type { Json } from "../../../lib/domain/json.ts";

const emptyMessage = {
  role: "assistant",
  content: "",
  id: "run-1",
  tool_calls: [],
  usage_metadata: { output_tokens: 0 },
};

const empty: readonly Json[] = [
  null,
  "",
  " \n\t",
  "\u200b\u2060",
  {},
  [],
  [[], {}],
  { messages: [] },
  '{"messages": []}',
  '""',
  { messages: [emptyMessage] },
  [{ type: "text", text: " " }],
  { output: { text: "" } },
  { id: "x", choices: [{ index: 0, finish_reason: "stop", message: { role: "assistant", content: null } }] },
];

test.each(empty.map((value) => [value]))("%j says nothing", (value) => {
  expect(saysSomething(value)).toBe(false);
});

const contents: readonly Json[] = [
  "No.",
  "null",
  "\ud83d\ude00",
  0,
  false,
  { id: 77 },
  { type: "refund" },
  { messages: [], order: 7 },
  { messages: [{ role: "user", content: "Hello" }] },
  { ...emptyMessage, tool_calls: [{ function: { name: "search", arguments: "{}" } }] },
  "{not JSON",
];

test.each(contents.map((value) => [value]))("%j says something", (value) => {
  expect(saysSomething(value)).toBe(true);
});

test("a value too deep to read counts as content", () => {
  const deep = Array.from({ length: 5000 }).reduce<Json>((inner) => [inner], null);

  expect(saysSomething(deep)).toBe(true);
});

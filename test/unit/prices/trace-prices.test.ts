import { expect, test } from "vitest";
import { pricesAt } from "../../../lib/domain/traces/model-price.ts";
import { priceEntries, tracePrices } from "../../../lib/prices/trace-prices.ts";
import { operatorTracePrices } from "../../../lib/wiring/trace-prices.ts";

const at = "2026-11-21T09:00:00+00:00";
const operatorPrices = (...prices: readonly object[]) => operatorTracePrices({ TRACE_PRICES: JSON.stringify(prices) });
const inputOf = (model: string, prices = operatorPrices(), when = at) => {
  const price = tracePrices(prices)(model, null);
  return price === undefined ? undefined : pricesAt(price, when, 0)?.input;
};

test.each([
  ["gpt-5.4-mini", 0.75],
  ["GPT-5.4-Mini ", 0.75],
  ["gpt-5.4-mini-2026-03-17", 0.75],
  ["openai/gpt-5.4-mini", 0.75],
  ["models/gemini-2.5-pro", 1.25],
  ["gemini/gemini-2.5-flash-001", 0.3],
  ["vertex_ai/gemini-2.5-pro", 1.25],
  ["claude-sonnet-4-5-20250929", 3],
  ["claude-sonnet-4-5@20250929", 3],
  ["anthropic/claude-sonnet-4.5", 3],
  ["openrouter/anthropic/claude-sonnet-4.5", 3],
  ["global.anthropic.claude-sonnet-4-5-20250929-v1:0", 3],
  ["us.anthropic.claude-sonnet-4-5-20250929-v1:0", 3.3],
  ["bedrock/us.anthropic.claude-sonnet-4-5-20250929-v1:0", 3.3],
  ["claude-sonnet-4.5", 3],
  ["claude-3-5-sonnet-latest", 3],
  ["claude-3.7-sonnet", 3],
  ["openai:gpt-5.4-mini", 0.75],
  ["openai-responses:gpt-5.4-mini", 0.75],
  ["google-gla:gemini-2.5-pro", 1.25],
  ["google_genai:gemini-2.5-pro", 1.25],
  ["bedrock:us.anthropic.claude-sonnet-4-5-20250929-v1:0", 3.3],
  ["bedrock/converse/us.anthropic.claude-sonnet-4-5-20250929-v1:0", 3.3],
  ["gpt-4o-2024-08-06", 2.5],
  ["gpt-4o-2024-05-13", 5],
  ["o3-mini-2025-01-31", 1.1],
  ["text-embedding-3-small", 0.02],
  ["ft:gpt-4o-mini:acme::abc", 0.3],
  ["azure/gpt-4o", 2.5],
  ["gpt-5.4-mini-turbo", undefined],
  ["my/gpt-5.4-mini", undefined],
  ["llama", undefined],
  ["", undefined],
])("the price list has %j at %s dollars per million tokens", (model, dollars) => {
  expect(inputOf(model)).toBe(dollars);
});

test("missing parts of a price are derived from the others", () => {
  const price = tracePrices(operatorPrices({ model: "llama", input: 1, output: 2 }))("llama", null);

  expect(price && pricesAt(price, at, 0)).toEqual({ input: 1, output: 2, cached: 1, written: 1, reasoning: 2 });
});

test("the operator's price replaces the list's from its date on, and the most specific pattern wins", () => {
  const prices = operatorPrices(
    { model: "*", input: 1, output: 1 },
    { model: "gpt-*", input: 2, output: 2 },
    { model: "GPT-5.4-*", input: 3, output: 3, from: "2026-06-01" },
    { model: "gpt-5.4-*", input: 4, output: 4, from: "2026-11-01" },
    { model: "a.c", input: 5, output: 5 },
  );

  expect(inputOf("llama", prices)).toBe(1);
  expect(inputOf("gpt-4o", prices)).toBe(2);
  expect(inputOf("gpt-5.4-mini", prices, "2026-05-31T00:00:00+00:00")).toBe(0.75);
  expect(inputOf("gpt-5.4-mini", prices, "2026-06-01T00:00:00+00:00")).toBe(3);
  expect(inputOf("gpt-5.4-mini", prices)).toBe(4);
  expect([inputOf("a.c", prices), inputOf("abc", prices)]).toEqual([5, 1]);
});

test("each price has its owner, its source and the date when it was read", () => {
  const [first, ...listEntries] = priceEntries(
    operatorPrices({ model: "llama", input: 1, output: 2, source: "our contract" }),
  );

  expect(first).toMatchObject({ model: "llama", list: "operator", source: "our contract", readOn: null, from: null });
  expect(listEntries.length).toBeGreaterThan(40);
  for (const { list, source, readOn } of listEntries) {
    expect(list).toBe("service");
    expect(["2026-09-23", "2026-11-26"]).toContain(readOn);
    expect(source).toMatch(/^https:\/\//u);
  }
});

test.each([["{}"], ['[{"model":"x","input":1}]'], ['[{"model":"x","input":-1,"output":1}]'], ["no JSON"]])(
  "a function with the prices %s does not start",
  (TRACE_PRICES) => {
    expect(() => operatorTracePrices({ TRACE_PRICES })).toThrow(/./u);
  },
);

test("the operator's price holds at every service tier", () => {
  const price =
    tracePrices(operatorPrices({ model: "gpt-*", input: 3, output: 4, from: "2026-11-01" }))("gpt-5.4", null) ?? [];

  expect(pricesAt(price, at, 0, "priority")?.input).toBe(3);
  expect(pricesAt(price, "2026-10-31T00:00:00+00:00", 0, "flex")?.input).toBe(1.25);
  expect(pricesAt(price, "2026-10-31T00:00:00+00:00", 0, "priority")).toBeNull();
});

test.each([
  ["gemini-2.5-flash", "standard", { audio: 1, audioCached: 0.1 }],
  ["gemini-2.5-flash", "flex", { audio: 0.5, audioCached: 0.1 }],
  ["claude-sonnet-4-5", "standard", { writtenHour: 6 }],
  ["us.anthropic.claude-sonnet-4-5-20250929-v1:0", "standard", { writtenHour: 6.6 }],
  ["claude-sonnet-4-5", "batch", { writtenHour: 3 }],
  ["gpt-4o", "standard", {}],
])("sound and an hour in the cache have their own prices, if any, of %s at the tier %s", (model, tier, dollars) => {
  const { audio, audioCached, audioOutput, writtenHour } =
    pricesAt(tracePrices([])(model, null) ?? [], at, 0, tier) ?? {};

  expect({ audio, audioCached, audioOutput, writtenHour }).toEqual(dollars);
});

test("a long prompt has the listed price of an hour in the cache, and an operator's price those that it names", () => {
  const long = pricesAt(tracePrices([])("claude-sonnet-4-5", null) ?? [], at, 200_001);
  const ownPrices = operatorPrices({ model: "*", input: 1, output: 2, audio: 9, audioOutput: 20, writtenHour: 3 });
  const ownPrice = pricesAt(tracePrices(ownPrices)("voice", null) ?? [], at, 0);

  expect(long?.writtenHour).toBe(12);
  expect(ownPrice).toEqual({
    input: 1,
    output: 2,
    cached: 1,
    written: 1,
    reasoning: 2,
    audio: 9,
    audioOutput: 20,
    writtenHour: 3,
  });
});

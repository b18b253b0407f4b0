import { describe, expect, test } from "vitest";
import { operatorPrices } from "../../../lib/wiring/prices.ts";
import { priceList, priceOf } from "../../../lib/prices/price-list.ts";
import { costOf } from "../../../lib/prices/price.ts";

const none = new Map();
const tokens = (prompt: number, completion: number, cached = 0, written = 0) => ({
  prompt,
  completion,
  cached,
  written,
});

describe("the price of a model", () => {
  test.each([
    ["openai/gpt-5.4-mini", "gpt-5.4-mini"],
    ["openai/gpt-5.4-mini-2026-03-17", "gpt-5.4-mini"],
    ["gpt-5.4-mini", "gpt-5.4-mini"],
    ["anthropic/claude-haiku-4-5-20251001", "claude-haiku-4-5"],
    ["gemini/gemini-3.6-flash", "gemini-3.6-flash"],
    ["vertex_ai/gemini-3.1-flash-lite", "gemini-3.1-flash-lite"],
    ["vertex_ai/google/gemini-2.5-pro-001", "gemini-2.5-pro"],
    ["bedrock/global.anthropic.claude-sonnet-4-5-20250929-v1:0", "claude-sonnet-4-5"],
    ["openrouter/anthropic/claude-sonnet-5.5", "claude-sonnet-5-5"],
    ["openrouter/openai/gpt-6.1-terra", "gpt-6.1-terra"],
    ["openrouter/google/gemini-2.5-flash", "gemini-2.5-flash"],
  ])("%s is that of %s", (model, maker) => {
    expect(priceOf(model, none)).toEqual(priceList.get(maker));
    expect(priceList.get(maker)).toBeDefined();
  });

  test.each([
    "bedrock/anthropic.claude-opus-5-5",
    "bedrock/eu.anthropic.claude-opus-5-5-v1:0",
    "bedrock/us-gov.anthropic.claude-opus-5-5-v1",
  ])("%s is 10 % above Anthropic's", (model) => {
    expect(priceOf(model, none)?.input).toBeCloseTo(4.4);
    expect(priceOf(model, none)?.output).toBeCloseTo(22);
  });

  test.each([
    "openai/gpt-7",
    "openai/gpt-5.4-mini-pro",
    "custom/gpt-5.4-mini",
    "bedrock/openai.gpt-oss-120b-1:0",
    "bedrock/arn:aws:bedrock:eu-west-1:123456789012:application-inference-profile/abc",
    "openrouter/meta-llama/llama-4",
    "azure/gpt-5.4",
    "nonsense",
    "openai/constructor",
  ])("%s is unknown", (model) => {
    expect(priceOf(model, none)).toBeNull();
  });

  test("of the offline rules is zero", () => {
    expect(costOf(tokens(1000, 1000), priceOf("offline/rules", none))).toBe(0);
  });

  test("is the operator's where the operator has set one", () => {
    const operatorTable = operatorPrices({
      JUDGE_PRICES: JSON.stringify({
        "custom/llama": { input: 0.5, output: 1 },
        "openai/gpt-5.4-mini": { input: 1, cached: 0.5, output: 2, written: 3 },
      }),
    });

    expect(priceOf("custom/llama", operatorTable)).toEqual({ input: 0.5, cached: 0.5, output: 1, written: 0.5 });
    expect(priceOf("openai/gpt-5.4-mini", operatorTable)).toEqual({ input: 1, cached: 0.5, output: 2, written: 3 });
    expect(priceOf("openai/gpt-5.4-nano", operatorTable)).toEqual(priceList.get("gpt-5.4-nano"));
  });

  test("no listed model has input cheaper than its cached input, or a price of zero", () => {
    const odd = [...priceList].filter(
      ([, { input, cached, written }]) => input <= 0 || cached > input || written < input,
    );

    expect(odd).toEqual([]);
  });
});

describe("the cost of tokens", () => {
  const price = { input: 2, cached: 0.2, output: 10, written: 2.5 };

  test("is the sum over each kind of tokens, in dollars", () => {
    expect(costOf(tokens(1_000_000, 100_000, 600_000, 300_000), price)).toBe(2.07);
  });

  test("is null, not zero, without a price", () => {
    expect(costOf(tokens(1, 1), null)).toBeNull();
  });

  test("is never negative, whatever counts a provider reports", () => {
    expect(costOf(tokens(10, 0, 50, 50), price)).toBeCloseTo((50 * 0.2 + 50 * 2.5) / 1e6, 12);
    expect(costOf(tokens(0, 0), price)).toBe(0);
  });
});

test.each([
  ['{"openai/x": {"input": -1, "output": 1}}', ">=0"],
  ['{"openai/x": 1}', "Expected Object"],
  ['{"openai/x": {"input": 1}}', "output"],
  ["{", "JSON"],
])("a function with the prices %s does not start", (prices, message) => {
  expect(() => operatorPrices({ JUDGE_PRICES: prices })).toThrow(message);
});

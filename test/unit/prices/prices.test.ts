import { describe, expect, test } from "vitest";
import { operatorPrices } from "../../../lib/wiring/prices.ts";
import { flexShares, priceOf } from "../../../lib/prices/judge-prices.ts";
import { ceilingPrice, priceList } from "../../../lib/prices/listed-models.ts";
import { tracePrices } from "../../../lib/prices/trace-prices.ts";
import { pricesAt } from "../../../lib/domain/traces/model-price.ts";
import { reservationRequestOf } from "../../../lib/judge/spending/call-budget.ts";
import { sizeOfBytes } from "../../../lib/judge/spending/prompt-size.ts";
import { costOf, type Price } from "../../../lib/prices/price.ts";

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
  ])("%s is that of %s", (model, maker) => {
    const listed = priceList.get(maker);
    expect(listed).toBeDefined();
    expect(priceOf(model, none)).toEqual(listed && ceilingPrice(listed));
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
    "bedrock/arn:aws:bedrock:eu-west-1:123456789012:application-inference-profile/abc",
    "openrouter/meta-llama/llama-9",
    "bedrock/eu.mistral.mistral-huge-v1:0",
    "bedrock/amazon.titan-embed-text-v2:0",
    "bedrock/nova-pro",
    "azure/gpt-5.4",
    "nonsense",
    "openai/constructor",
  ])("%s is unknown", (model) => {
    expect(priceOf(model, none)).toBeNull();
  });

  test.each([
    ["bedrock/amazon.nova-pro-v1:0", 0.8, 3.2],
    ["bedrock/eu.amazon.nova-pro-v1:0", 0.8, 3.2],
    ["bedrock/global.amazon.nova-2-lite-v1:0", 0.3, 2.5],
    ["bedrock/us.amazon.nova-2-lite-v1:0", 0.33, 2.75],
    ["bedrock/us.meta.llama3-3-70b-instruct-v1:0", 0.72, 0.72],
    ["bedrock/mistral.mistral-large-3-675b-instruct", 0.5, 1.5],
    ["bedrock/openai.gpt-oss-120b-1:0", 0.15, 0.6],
    ["bedrock/us.deepseek.r1-v1:0", 1.35, 5.4],
    ["bedrock/qwen.qwen3-32b-v1:0", 0.15, 0.6],
    ["openrouter/x-ai/grok-4.3", 1.25, 2.5],
  ])("%s is the host's own", (model, input, output) => {
    expect(priceOf(model, none)).toMatchObject({ input, output });
  });

  test("of a cached token is OpenRouter's own, where it differs from the maker's", () => {
    expect(priceOf("openrouter/google/gemini-2.5-flash", none)?.cached).toBe(0.075);
    expect(priceOf("gemini/gemini-2.5-flash", none)?.cached).toBe(0.03);
  });

  test("is the one after a promotion, so that a ceiling holds when the promotion ends", () => {
    expect(priceOf("gemini/gemini-3.8-flash", none)?.input).toBe(1.5);
    expect(priceOf("openai/gpt-5.6-sol", none)?.input).toBe(4);
  });

  test.each([
    ["openai/gpt-5.4", 271_999, 0.6799975, 272_000, 1.36],
    ["openai/gpt-6.1-terra", 272_000, 0.272, 272_001, 0.544002],
    ["gemini/gemini-3.1-pro-preview", 200_000, 0.4, 200_001, 0.800004],
    ["vertex_ai/gemini-2.5-pro", 200_000, 0.25, 200_001, 0.5000025],
    ["bedrock/us.openai.gpt-5.6-luna", 271_999, 0.05983978, 272_000, 0.11968],
    ["openrouter/openai/gpt-5.6-luna", 272_000, 0.0544, 272_001, 0.1088004],
    ["anthropic/claude-sonnet-4-6", 200_000, 0.6, 200_001, 0.600003],
  ])("of %s depends on the length of the prompt", (model, short, shortCost, long, longCost) => {
    const price = priceOf(model, none);
    expect(costOf(tokens(short, 0), price)).toBeCloseTo(shortCost, 8);
    expect(costOf(tokens(long, 0), price)).toBeCloseTo(longCost, 8);
  });

  test("of a judgement is reserved for the dearest prompt that it can have", () => {
    const long = { above: 10_000, input: 4, cached: 0.4, output: 15, written: 5 };
    const reserve = (bytes: number, price: Price) =>
      reservationRequestOf(price, [sizeOfBytes(bytes)], { max: 100, likely: 100, min: 100 }).min;
    const tiered = { input: 2, cached: 0.2, output: 10, written: 2, long };
    const [{ long: _, ...short }, dear] = [tiered, { ...tiered, ...long }];

    // A prompt has up to 600 tokens beside its texts.
    expect(reserve(9400, tiered)).toBe(reserve(9400, short));
    expect(reserve(9401, tiered)).toBe(reserve(9401, dear));
    expect(reserve(9401, tiered)).toBe((10_001 * 5 + 100 * 15) / 1e6);
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
    expect(priceOf("openai/gpt-5.4-nano", operatorTable)).toMatchObject({ input: 0.2, output: 1.25 });
  });

  test("every listed model has a source, and prices in numbers: none negative, input neither free nor cheaper than cached input", () => {
    const odd = [...priceList].filter(
      ([, { prices, source }]) =>
        !source.startsWith("https://") ||
        prices.length === 0 ||
        !prices.every(
          // A text that is no number fails each comparison.
          ({ input, output, cached, written, above }) =>
            input > 0 && output >= 0 && cached >= 0 && cached <= input && written >= 0 && above >= 0,
        ),
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

test("a judgement at the flex tier costs half, but tokens read from Gemini's cache", () => {
  const cost = (model: string) => costOf(tokens(1_000_000, 0, 500_000), priceOf(model, none), flexShares(model));

  expect(cost("openai/gpt-5.4-mini")).toBe(0.20625);
  expect(cost("gemini/gemini-2.5-flash")).toBe(0.09);
  expect(cost("gemini/gemini-3.5-flash-lite")).toBe(0.0825);
  expect(cost("anthropic/claude-haiku-4-5")).toBe(0.55);
});

describe("the price of a span", () => {
  const priceOfSpan = tracePrices([]);
  const at = (model: string, day: string) =>
    pricesAt(priceOfSpan(model, null) ?? [], `${day}T12:00:00+00:00`, 0)?.input ?? null;

  test.each([
    ["mistral-large-latest", 0.5],
    ["mistral-small-latest", 0.15],
    ["mistral/mistral-large-2512", 0.5],
    ["mistralai/devstral-2512", 0.4],
    ["deepseek/deepseek-v3.2", 0.2288],
    ["x-ai/grok-4", 3],
    ["grok-4.5", 2],
    ["command-r-plus", 2.5],
    ["moonshot/kimi-k3", 3],
    ["zai/glm-5.3", 1.4],
    ["zhipuai/glm-5.3", 1.103],
    ["minimax/minimax-m3", 0.3],
    ["groq/llama-3.3-70b-versatile", 0.59],
    ["us.amazon.nova-lite-v1:0", 0.06],
    ["bedrock/meta.llama4-scout-17b-instruct-v1:0", 0.17],
    ["amazon.titan-embed-text-v1", 0.1],
    ["openai-decisions/gpt-6-luna", 0.1],
    ["openrouter/openai/gpt-5-mini", 0.25],
  ])("of %s is known", (model, input) => {
    expect(at(model, "2026-11-21")).toBe(input);
  });

  test.each([
    ["meta-llama/llama-3.3-70b-instruct", "openrouter", 0.05],
    ["qwen/qwen3-32b", "openrouter", 0.1],
    ["qwen/qwen3-32b", "groq", 0.29],
    ["qwen-3-32b", "cerebras", 0.4],
    ["deepseek/deepseek-v4-flash:thinking", "openrouter", 0.0983],
    ["anthropic/claude-4.5-sonnet-20250929", "openrouter", 3],
    ["openai/gpt-oss-120b", "groq", 0.15],
    ["meta-llama/Llama-3.3-70B-Instruct-Turbo", "together", 0.88],
    ["accounts/fireworks/models/kimi-k2p5", "fireworks", 0.6],
    ["deepseek-v4-pro", "deepseek", 0.66],
    ["kimi-k3", "moonshotai", 3],
    ["glm-5.3", "zhipuai", 1.103],
    ["glm-5.3", "zai", 1.4],
    ["mistral-small-2603", "mistral", 0.15],
    ["mistral-large-2512", "mistral", 0.5],
    ["together_ai/meta-llama/Llama-4-Scout-17B-16E-Instruct", null, 0.18],
    ["fireworks_ai/accounts/fireworks/models/glm-5p2", null, 1.4],
    ["accounts/fireworks/models/gpt-oss-20b", null, 0.07],
    ["openrouter:qwen/qwen3.7-max", null, 1.25],
    ["cerebras/gpt-oss-120b", null, 0.35],
  ])("of %s at %s is the host's own", (model, host, input) => {
    expect(pricesAt(priceOfSpan(model, host) ?? [], "2026-11-21T12:00:00+00:00", 0)?.input).toBe(input);
  });

  test.each([
    ["qwen/qwen3-32b", "together"],
    ["magistral-medium-latest", "mistral"],
    ["moonshotai/kimi-k3", "together"],
    ["mistral-large-2512", "other"],
    ["openai/gpt-oss-120b", null],
    ["meta-llama/llama-3.3-70b-instruct:free", "openrouter"],
  ])("of %s at %s is unknown, whatever others charge", (model, host) => {
    expect(priceOfSpan(model, host)).toBeUndefined();
  });

  test.each(["llama-3.3-70b", "mixtral-8x7b", "glm-5", "kimi-k3", "gpt-oss-120b", "grok-99", "amazon.nova-mega-v1:0"])(
    "of %s is unknown: open weights have a price at each host, and a new model has none yet",
    (model) => {
      expect(priceOfSpan(model, null)).toBeUndefined();
    },
  );

  test.each([
    ["gpt-5.4", "flex", { input: 1.25, cached: 0.125, output: 7.5 }],
    ["gpt-5.6-luna-2026-07-30", "batch", { input: 0.1, cached: 0.01, written: 0.125, output: 0.6 }],
    ["openai/gpt-4o", "batch", { input: 1.25, output: 5 }],
    ["claude-sonnet-4-5-20250929", "batch", { input: 1.5, cached: 0.15, written: 1.875, output: 7.5 }],
    ["us.anthropic.claude-sonnet-4-5-20250929-v1:0", "batch", { input: 1.65 }],
    ["gemini-2.5-pro", "flex", { input: 0.625, cached: 0.125, output: 5 }],
    ["gemini-3.5-flash", "batch", { input: 0.75, cached: 0.075, output: 4.5 }],
    ["grok-4.3", "batch", { input: 1, cached: 0.16, output: 2 }],
    ["us.amazon.nova-pro-v1:0", "flex", { input: 0.4, output: 1.6 }],
    ["groq/llama-3.3-70b-versatile", "flex", { input: 0.59 }],
  ])("of %s at the tier %s is a share of the standard price", (model, tier, price) => {
    const prices = pricesAt(priceOfSpan(model, null) ?? [], "2026-11-21T12:00:00+00:00", 0, tier);
    const rounded = Object.entries(prices ?? {}).map(([kind, dollars]) => [kind, Number(dollars.toFixed(9))]);
    expect(Object.fromEntries(rounded)).toMatchObject(price);
  });

  test.each([
    ["gpt-4o", "flex"],
    ["gpt-5.4", "priority"],
    ["mistral-large-latest", "batch"],
  ])("of %s at the tier %s, which is not listed, is unknown", (model, tier) => {
    expect(pricesAt(priceOfSpan(model, null) ?? [], "2026-11-21T12:00:00+00:00", 0, tier)).toBeNull();
    expect(pricesAt(priceOfSpan(model, null) ?? [], "2026-11-21T12:00:00+00:00", 0)).not.toBeNull();
  });

  test("of a long prompt at a tier is a share of the long prompt's price", () => {
    const prices = pricesAt(priceOfSpan("gpt-5.4", null) ?? [], "2026-11-21T12:00:00+00:00", 300_000, "flex");
    expect(prices).toMatchObject({ input: 2.5, output: 11.25 });
  });

  test("of a decision has no part for answers", () => {
    expect(
      pricesAt(priceOfSpan("openai-decisions/gpt-6-luna", null) ?? [], "2026-11-21T00:00:00+00:00", 0)?.output,
    ).toBe(0);
  });

  test.each([
    ["deepseek-v4-flash", "2026-08-16T02:00", 0.14],
    ["deepseek-v4-flash", "2026-08-16T15:59", 0.14],
    ["deepseek-v4-flash", "2026-08-17T00:59", 0.22],
    ["deepseek-v4-flash", "2026-08-17T01:00", 0.44],
    ["deepseek-v4-flash", "2026-08-17T03:59", 0.44],
    ["deepseek-v4-flash", "2026-08-17T04:00", 0.22],
    // Saturdays, before weekends became off-peak and after.
    ["deepseek-v4-flash", "2026-08-22T09:59", 0.44],
    ["deepseek-v4-flash", "2026-08-29T09:59", 0.22],
    ["deepseek-v4-flash", "2026-09-10T03:59", 0.44],
    ["deepseek-v4-flash", "2026-09-10T06:00", 0.3],
    ["deepseek-v4-pro", "2026-08-23T06:00", 0.66],
    ["deepseek-v4-pro", "2026-11-26T06:00", 1.32],
    ["deepseek-v4-pro", "2026-11-26T10:00", 0.66],
    ["deepseek-flash", "2026-09-10T03:59", null],
    ["deepseek-flash", "2026-10-07T06:00", 0.15],
    ["deepseek-flash", "2026-10-08T06:00", 0.3],
    ["deepseek-flash", "2027-01-01T06:00", 0.15],
  ])("of %s at %s is that of the hour", (model, minute, input) => {
    const price = priceOfSpan(`deepseek/${model}`, null) ?? [];
    expect(pricesAt(price, `${minute}:00+00:00`, 0)?.input ?? null).toBe(input);
  });

  test.each([
    ["gpt-5.6-luna", "2026-07-29", 1],
    ["gpt-5.6-luna", "2026-07-30", 0.2],
    ["gemini-3.8-flash", "2026-12-31", 0.75],
    ["gemini-3.8-flash", "2027-01-01", 1.5],
  ])("of %s on %s is that of the day", (model, day, input) => {
    expect(at(model, day)).toBe(input);
  });
});

import { expect, test } from "vitest";
import { defaultJudgeModels, modelRules, modelsOfServers } from "../../../../lib/judge/prices/model-rules.ts";
import { priceOf } from "../../../../lib/prices/judge-prices.ts";
import { environmentModelRules } from "../../../../lib/wiring/judge-models.ts";

const listPrice = (model: string) => priceOf(model, new Map());
const rules = (...patterns: readonly string[]) => modelRules(patterns, listPrice);

test.each(["openai/gpt-6-luna", "gpt-5.4-mini", "offline/rules", "custom/anything", "bedrock/eu.amazon.nova-pro-v1:0"])(
  "%s may be asked by default",
  (model) => {
    expect(modelRules(defaultJudgeModels, listPrice)(model)).toBeNull();
  },
);

test.each(["openai/gpt-99", "nobody/knows", "__proto__/x"])(
  "%s, whose price is not known, may not, and a sentence says what to set",
  (model) => {
    const message = `The model ${model} may not be asked, because its price is not known: list it in this deployment's setting 'judgeModels', or give it a price in 'prices'.`;
    expect(rules("priced", "offline/rules", "custom/*")(model)).toBe(message);
  },
);

test("listed models may be asked, and no others, whatever their price", () => {
  const refusalOf = rules("bedrock/*nova*", "openai/gpt-6-luna");

  expect(refusalOf("bedrock/eu.amazon.Nova-x")).toBeNull();
  expect(refusalOf("gpt-6-luna")).toBeNull();
  expect(refusalOf("openai/gpt-6-luna-2")).toBe(
    "The model openai/gpt-6-luna-2 may not be asked: this deployment's setting 'judgeModels' does not list it.",
  );
  expect(refusalOf("openai/gpt-5.4-mini")).toContain("does not list it");
});

test("models behind the operator's base URL for OpenAI may be asked", () => {
  expect(modelRules(modelsOfServers(true), listPrice)("openai/llama")).toBeNull();
  expect(modelRules(modelsOfServers(false), listPrice)("openai/llama")).toContain("price");
});

test("patterns and prices come from the environment, the default ones without it", () => {
  const prices = { JUDGE_PRICES: '{"openai/own":{"input":1,"output":2}}' };

  expect(environmentModelRules({})("openai/own")).toContain("price is not known");
  expect(environmentModelRules(prices)("openai/own")).toBeNull();
  expect(environmentModelRules({ ...prices, JUDGE_MODELS: '["custom/*"]' })("openai/own")).toContain(
    "does not list it",
  );
  expect(() => environmentModelRules({ JUDGE_MODELS: '"all"' })).toThrow("Expected Array");
});

test("a model of an unknown provider is refused with the provider to use, unless the operator lists it", () => {
  expect(environmentModelRules({})("ollama/llama3")).toContain("name the model custom/llama3");
  expect(environmentModelRules({})("nobody/model")).toContain("Known providers: openai,");
  expect(environmentModelRules({ JUDGE_MODELS: '["ollama/*"]' })("ollama/llama3")).toBeNull();
});

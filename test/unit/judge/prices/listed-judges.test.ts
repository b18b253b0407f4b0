import { expect, test } from "vitest";
import { cachedCostOfEstimate, costOfEstimate, estimateTarget } from "../../../../lib/judge/prices/estimate.ts";
import { cheaperJudges, defaultJudge, listedJudges } from "../../../../lib/judge/prices/listed-judges.ts";
import { judgedCatalogue } from "../../../../lib/metrics/trace/catalogue.ts";
import { flexShare, priceOf } from "../../../../lib/prices/judge-prices.ts";

const listPrice = (model: string) => priceOf(model, new Map());
const list = { priceOf: listPrice, mayAsk: () => true };
const { task_completion, tool_correctness, step_efficiency } = judgedCatalogue;
const metrics = new Map(Object.entries({ task_completion, tool_correctness, step_efficiency }));
const estimate = estimateTarget(metrics, { tokens: 13_000, characters: 43_000 });
const cost = (model: string) => costOfEstimate(estimate, listPrice(model)) ?? Number.NaN;

test("no listed judge is cheaper than the default judge, and one at its price has no flex tier", () => {
  expect(cost(defaultJudge)).toBeGreaterThan(0);
  for (const model of listedJudges.filter((each) => each !== defaultJudge)) {
    expect([model, cost(model) >= cost(defaultJudge)]).toEqual([model, true]);
    expect([model, cost(model) * flexShare(model) > cost(defaultJudge) * flexShare(defaultJudge)]).toEqual([
      model,
      true,
    ]);
  }
});

test("three cheaper judges and tiers are compared, cheapest first, with and without the provider's cache", () => {
  const alternatives = cheaperJudges("openai/gpt-5.4-mini", estimate, cost("openai/gpt-5.4-mini"), list);

  expect(alternatives.map(({ model, tier }) => [model, tier])).toEqual([
    ["openai/gpt-6-luna", "flex"],
    ["openai/gpt-6-luna", "standard"],
    ["anthropic/claude-haiku-5-5", "standard"],
  ]);
  expect(alternatives[0]?.costUsd).toBeCloseTo(cost("openai/gpt-6-luna") / 2, 9);
  // Transcript and system message (540 tokens) are written once and read twice, by hand: 1.25 and 0.1 of the input price.
  const { prompt, completion } = estimate;
  const byHand = ((prompt - 3 * 13_540) * 0.1 + 13_540 * 0.125 + 2 * 13_540 * 0.01 + completion * 0.5) / 1e6;
  expect(alternatives[1]?.cachedCostUsd).toBeCloseTo(byHand, 9);
});

test("a model is compared at its other tier also if it is not listed, and nothing dearer is shown", () => {
  expect(
    cheaperJudges("openai/gpt-5.4", estimate, cost("openai/gpt-5.4"), {
      ...list,
      priceOf: (model) => (model === "openai/gpt-5.4" ? listPrice(model) : null),
    }),
  ).toMatchObject([{ model: "openai/gpt-5.4", tier: "flex" }]);
  expect(cheaperJudges(defaultJudge, estimate, cost(defaultJudge) / 2, list)).toEqual([]);
});

test("a model without a known price is compared with the cheapest ones, and what asks no model with none", () => {
  expect(cheaperJudges("custom/model", estimate, null, list)).toHaveLength(3);
  expect(cheaperJudges("offline/rules", estimate, 0, list)).toEqual([]);
  const noCalls = estimateTarget(new Map(), { tokens: 13_000, characters: 43_000 });
  expect(cheaperJudges("custom/model", noCalls, null, list)).toEqual([]);
});

test("a question that is alone about its target reads nothing from the cache", () => {
  const alone = estimateTarget(new Map([["task_completion", task_completion]]), { tokens: 13_000, characters: 43_000 });

  expect(alone).toMatchObject({ cached: 0, written: 13_540 });
  const price = listPrice("openai/gpt-5.4-mini");
  expect(cachedCostOfEstimate(alone, price)).toBe(costOfEstimate(alone, price));
});

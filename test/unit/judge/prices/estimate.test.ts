import { expect, test } from "vitest";
import {
  costOfEstimate,
  estimateJudging,
  estimateTarget,
  judgementBytes,
  promptBytes,
  questionCharacters,
  type PlannedMetric,
} from "../../../../lib/judge/prices/estimate.ts";
import { estimateTokens } from "../../../../lib/judge/prices/text-tokens.ts";
import { strictJsonSchema } from "../../../../lib/judge/question/answer.ts";
import { systemMessage } from "../../../../lib/judge/question/ask-model.ts";
import { judgedCatalogue, type JudgedMetricName } from "../../../../lib/metrics/trace/catalogue.ts";
import { judgedMetrics } from "../../../../lib/metrics/trace/definitions.ts";

const price = { input: 1, cached: 0.1, output: 10, written: 1 };
const plannedMetrics = (...names: readonly JudgedMetricName[]): ReadonlyMap<string, PlannedMetric> =>
  new Map(names.map((name) => [name, judgedCatalogue[name]]));
const record = (tokens: number) => ({ tokens, characters: 3.3 * tokens });

test("every judged metric is one call, and an extraction shared by several metrics is one call for all", () => {
  const calls = (...names: readonly JudgedMetricName[]): number =>
    estimateTarget(plannedMetrics(...names), record(300)).calls;

  expect(calls("confidence")).toBe(1);
  expect(calls("coherence")).toBe(0);
  expect(calls("plan_adherence")).toBe(2);
  expect(calls("plan_adherence", "plan_quality", "coherence")).toBe(3);
});

test("a prompt grows with the shown part of the target's document, where the question includes it", () => {
  const prompt = (name: JudgedMetricName, tokens: number): number =>
    estimateTarget(plannedMetrics(name), record(tokens)).prompt;

  expect(prompt("confidence", 12_000) - prompt("confidence", 7000)).toBe(5000);
  expect(prompt("argument_correctness", 12_000)).toBe(prompt("argument_correctness", 7000));
});

test("a model's measured usage corrects an estimate, the more calls the more, within bounds", () => {
  const used = (calls: number, factor: number) => {
    const each = estimateTarget(plannedMetrics("confidence"), record(2000));
    const [prompt, completion] = [calls * each.prompt * factor, calls * each.completion * factor];
    const lately = new Map([["confidence", { calls, prompt, completion, shown: calls * record(2000).characters }]]);
    const { prompt: corrected } = estimateTarget(plannedMetrics("confidence"), record(2000), lately);
    return corrected / each.prompt;
  };

  expect(used(0, 2)).toBe(1);
  expect(used(1, 2)).toBeCloseTo(7 / 6, 2);
  expect(used(45, 2)).toBeCloseTo(1.9, 2);
  expect(used(45, 0.5)).toBeCloseTo(0.55, 2);
  expect(used(1000, 1000)).toBeLessThan(4);
});

test("no question is longer than estimated, and none is shorter by half", () => {
  const judged = judgedMetrics.flatMap((metric) => (metric.method === "judge" ? [metric] : []));
  const system = systemMessage.length;
  const lengths = [...judged, ...judged.flatMap(({ needs }) => needs)].map(
    ({ question, answer }) => system + question.length + JSON.stringify(strictJsonSchema(answer)).length,
  );

  expect(Math.max(...lengths)).toBeLessThanOrEqual(questionCharacters);
  expect(Math.min(...lengths)).toBeGreaterThan(questionCharacters / 2);
});

test("an estimate costs what its tokens cost, and is null without a price", () => {
  expect(costOfEstimate({ calls: 1, prompt: 1_000_000, completion: 100_000 }, price)).toBe(2);
  expect(costOfEstimate({ calls: 1, prompt: 1, completion: 1 }, null)).toBeNull();
});

test("a text's tokens are estimated by its script, with ratios measured on agents' traces", () => {
  const perToken = (text: string): number => (text.length / estimateTokens(text.repeat(100))) * 100;

  expect(perToken('{"order": 1042, "state": "shipped on Monday"} ')).toBeCloseTo(3.3, 1);
  expect(perToken("订单已经发货预计明天到达请确认收货地址")).toBeCloseTo(1.6, 1);
  expect(perToken("ご注文の商品は月曜日に発送されました")).toBeCloseTo(1.47, 1);
  expect(perToken("iVBORw0KGgoAAAANSUhEUgAAAAUA9f3Qx7")).toBeCloseTo(2.06, 1);
});

test("a metric's prompts include the bytes of the transcript where it is shown", () => {
  expect(promptBytes(judgedCatalogue.confidence, 1000)).toEqual([questionCharacters + 1000]);
  expect(promptBytes(judgedCatalogue.plan_quality, 1000)).toEqual([
    questionCharacters + 1000,
    questionCharacters + 1500,
  ]);
  expect(promptBytes(judgedCatalogue.coherence, 1000)).toEqual([]);
});

test("an estimate has the price of the mean prompt, not of all prompts together", () => {
  const tiered = { ...price, long: { above: 200_000, input: 2, cached: 0.2, output: 15, written: 2 } };

  expect(costOfEstimate({ calls: 10, prompt: 2_000_000, completion: 0 }, tiered)).toBe(2);
  expect(costOfEstimate({ calls: 10, prompt: 2_000_010, completion: 100_000 }, tiered)).toBe(5.50002);
});

test.each([["openai/judge"], ["system-one"]])("an expected output is counted with the prompts of %s", (model) => {
  const plan = (usesExpectedOutput: boolean): ReadonlyMap<string, PlannedMetric> =>
    new Map([["metric", { method: "judge", sees: "record", usesExpectedOutput }]]);
  const estimate = (uses: boolean) => estimateJudging(model, plan(uses), record(2000));
  const bytes = (uses: boolean) => judgementBytes(model, plan(uses), 6600).flat()[0] ?? 0;

  expect(estimate(true).prompt - estimate(false).prompt).toBe(450);
  expect(estimate(true).calls).toBe(estimate(false).calls);
  expect(bytes(true) - bytes(false)).toBe(20_000);
});

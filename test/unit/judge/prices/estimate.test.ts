import { expect, test } from "vitest";
import {
  costOfEstimate,
  dearestPair,
  estimateTarget,
  questionCharacters,
} from "../../../../lib/judge/prices/estimate.ts";
import { strictJsonSchema } from "../../../../lib/judge/question/answer.ts";
import { systemMessage } from "../../../../lib/judge/question/prompt.ts";
import { longestTranscript } from "../../../../lib/judge/transcript/transcript.ts";
import { judgedCatalogue, type JudgedMetricName } from "../../../../lib/metrics/trace/catalogue.ts";
import { judgedMetrics } from "../../../../lib/metrics/trace/definitions.ts";

const price = { input: 1, cached: 0.1, output: 10, written: 1 };
const named = (...names: readonly JudgedMetricName[]) => names.map((name) => judgedCatalogue[name]);

test("every judged metric is a call, and what several of them need is one call for all", () => {
  const calls = (...names: readonly JudgedMetricName[]): number => estimateTarget(named(...names), 1000).calls;

  expect(calls("confidence")).toBe(1);
  expect(calls("coherence")).toBe(0);
  expect(calls("plan_adherence")).toBe(2);
  expect(calls("plan_adherence", "plan_quality", "coherence")).toBe(3);
});

test("a prompt grows with the target's document, as far as a transcript does", () => {
  const prompt = (characters: number): number => estimateTarget(named("confidence"), characters).prompt;

  expect(prompt(40_000) - prompt(20_000)).toBe(5000);
  expect(prompt(10_000_000)).toBe(prompt(longestTranscript));
});

test("a question without the transcript does not grow with it", () => {
  const prompt = (characters: number): number => estimateTarget(named("argument_correctness"), characters).prompt;

  expect(prompt(40_000)).toBe(prompt(20_000));
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

test("an estimate costs what its tokens do, and is not known without a price", () => {
  expect(costOfEstimate({ calls: 1, prompt: 1_000_000, completion: 100_000 }, price)).toBe(2);
  expect(costOfEstimate({ calls: 1, prompt: 1, completion: 1 }, null)).toBeNull();
});

test("the dearest pair is at least as dear as each metric's, and nothing where no judge is asked", () => {
  const metrics = Object.values(judgedCatalogue);
  const dearest = dearestPair(metrics, price);
  const each = metrics.map((metric) => dearestPair([metric], price));

  expect(dearest).toBe(Math.max(...each));
  expect(dearest).toBeGreaterThan(0.01);
  expect(dearestPair(named("coherence"), price)).toBe(0);
});

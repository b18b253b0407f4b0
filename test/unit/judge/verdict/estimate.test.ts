import { expect, test } from "vitest";
import {
  costOfEstimate,
  dearestPair,
  estimateTarget,
  longestTranscript,
} from "../../../../lib/judge/verdict/estimate.ts";
import { judgedMetrics, traceMetrics } from "../../../../lib/metrics/trace/catalogue.ts";

const price = { input: 1, cached: 0.1, output: 10, written: 1 };
const named = (...names: readonly string[]) => judgedMetrics.filter(({ name }) => names.includes(name));

test("every judged metric is a call, and what several of them need is one call for all", () => {
  const calls = (...names: readonly string[]): number => estimateTarget(named(...names), 1000).calls;

  expect(calls("confidence")).toBe(1);
  expect(calls("coherence")).toBe(0);
  expect(calls("plan_adherence", "plan_quality")).toBeLessThan(calls("plan_adherence") + calls("plan_quality"));
});

test("a prompt grows with the target's document, as far as a transcript does", () => {
  const prompt = (characters: number): number => estimateTarget(named("confidence"), characters).prompt;

  expect(prompt(40_000) - prompt(20_000)).toBe(5000);
  expect(prompt(10_000_000)).toBe(prompt(longestTranscript));
});

test("an estimate costs what its tokens do, and is not known without a price", () => {
  expect(costOfEstimate({ calls: 1, prompt: 1_000_000, completion: 100_000 }, price)).toBe(2);
  expect(costOfEstimate({ calls: 1, prompt: 1, completion: 1 }, null)).toBeNull();
});

test("the dearest pair is at least as dear as each metric's, and nothing where no judge is asked", () => {
  const dearest = dearestPair(traceMetrics, price);
  const each = traceMetrics.map((metric) => dearestPair([metric], price));

  expect(dearest).toBe(Math.max(...each));
  expect(dearest).toBeGreaterThan(0.01);
  expect(dearestPair(named("coherence"), price)).toBe(0);
});

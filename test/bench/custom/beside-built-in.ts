import { parse } from "valibot";
import { semaphore } from "../../../lib/async/concurrency.ts";
import { customMetricInput } from "../../../lib/contract/metrics/custom-fields.ts";
import { definitionOf } from "../../../lib/domain/metrics/custom/definition-of.ts";
import type { Trace } from "../../../lib/domain/traces/trace.ts";
import { createJudge } from "../../../lib/judge/create-judge.ts";
import type { Metric } from "../../../lib/judge/metric/metric.ts";
import { customMetric } from "../../../lib/judge/custom/custom-metric.ts";
import { gallery } from "../../../lib/metrics/gallery/gallery.ts";
import { traceMetrics } from "../../../lib/metrics/trace/definitions.ts";
import { startFakeJudge } from "../../support/runs/fake-judge.ts";
import { cachingJudge, type Billed } from "./caching-judge.ts";

/** Five metrics of each sort whose prompts show the transcript; one of the built-in ones extracts the plan first. */
const builtIn = ["task_completion", "step_efficiency", "tool_correctness", "confidence", "plan_adherence"];
const galleryNames = ["answer_relevance", "instruction_following", "tone", "toxicity", "personal_data_leak"];

/** Latency of the judge in milliseconds, and number of concurrently judged traces. */
const [latency, tracesAtATime] = [200, 10];

const customMetrics = (): ReadonlyMap<string, Metric> =>
  new Map(
    gallery.map((galleryMetric) => {
      const { name, ...definition } = parse(customMetricInput, galleryMetric);
      const createdAt = "2026-11-22T12:00:00+00:00";
      return [
        `${name}@1`,
        customMetric({ name, version: 1, definition: definitionOf(definition), sent: definition, createdAt }),
      ];
    }),
  );

const measured = async (traces: readonly Trace[], metrics: readonly string[]) => {
  const billed: Billed = { calls: 0, prompt: 0, cached: 0, shown: 0, paid: 0 };
  const fake = await startFakeJudge();
  fake.script(cachingJudge(latency, billed));
  const metricStore = customMetrics();
  const judge = createJudge({
    metrics: traceMetrics,
    findCustomMetric: async (_, reference) => metricStore.get(reference) ?? null,
    providers: { custom: { baseUrl: "/base-url" } },
    parameter: async () => fake.url,
  });
  const [began, cpu] = [performance.now(), process.cpuUsage()];
  const lanes = semaphore(tracesAtATime);
  try {
    const judged = traces.map((trace) =>
      lanes(async () => {
        const target = judge.target({ runId: "r", projectId: "p", trace, traceVersion: 1, model: "custom/judge" });
        const verdicts = await Promise.all(metrics.map((name) => target.score(name, Date.now() + 120_000)));
        for (const verdict of verdicts) if (verdict.kind !== "scored") throw new Error(verdict.reason);
      }),
    );
    await Promise.all(judged);
  } finally {
    await fake.close();
  }
  const { user, system } = process.cpuUsage(cpu);
  return { ...billed, seconds: (performance.now() - began) / 1000, cpu: (user + system) / 1e6 };
};

/**
 * Prints the cost of five custom metrics, five built-in metrics and all ten together, with a judge that caches prompts.
 */
export const benchCustomAndBuiltIn = async (traces: readonly Trace[]): Promise<void> => {
  const references = galleryNames.map((name) => `${name}@1`);
  console.log(
    `${traces.length} traces, ${tracesAtATime} at a time, a judge of ${latency} ms over HTTP in the same process; calls and tokens of a trace are means`,
  );
  const head = ["metrics", "calls", "prompt tokens", "of them cached", "not cached", "transcripts shown", "paid for"];
  const columns = [...head, "seconds", "CPU seconds"];
  for (const row of [columns, columns.map(() => "---")]) console.log(`| ${row.join(" | ")} |`);
  const sets = { "five built-in": builtIn, "five of one's own": references, "all ten": [...builtIn, ...references] };
  for (const [name, metrics] of Object.entries(sets)) {
    const { calls, prompt, cached, shown, paid, seconds, cpu } = await measured(traces, metrics);
    const each = (figure: number, digits = 0): string => (figure / traces.length).toFixed(digits);
    const tokens = [each(prompt), each(cached), each(prompt - cached)];
    const figures = [each(calls, 1), ...tokens, each(shown, 1), each(paid, 1), seconds.toFixed(1), cpu.toFixed(1)];
    console.log(`| ${[name, ...figures].join(" | ")} |`);
  }
};

import { describe, expect, inject, test } from "vitest";
import { rules } from "../../../infra/local/offline-judge/rules.ts";
import { listTraceMetrics } from "../../../lib/contract/metrics/metric-lists.ts";
import { createTraceRun, listTraceRunScores } from "../../../lib/contract/runs/trace-runs.ts";
import { createTrace } from "../../../lib/contract/traces/traces.ts";
import { judgedCatalogue, type JudgedMetricName } from "../../../lib/metrics/trace/catalogue.ts";
import { newProject } from "../../support/service/client.ts";
import { endedRun } from "../../support/runs/ended-run.ts";
import { someTrace } from "../../support/traces/traces.ts";

const project = newProject(inject("service"));

/** True if the offline judge has an answer for a metric: a rule, or embeddings of words. */
const isAnswered = (name: string): boolean =>
  rules.has(name) || judgedCatalogue[name as JudgedMetricName].method === "compare";

describe("a run of all metrics", () => {
  test("has a score of each of them, FAILED for those without a rule of the offline judge", async () => {
    await project.answer(createTrace, {
      body: someTrace({ input: "Where is my order?", output: "It is on its way." }),
    });
    const metrics = (await project.answer(listTraceMetrics)).map(({ name }) => name);
    const run = await project.answer(createTraceRun, { body: { metrics } });

    const finalRun = await endedRun(project, run);
    const scores = await project.answer(listTraceRunScores, { params: { run_id: run.id } });

    const unanswered = metrics.filter((name) => !isAnswered(name));
    expect(finalRun).toMatchObject({ status: "COMPLETED", evaluated_count: 1, failed_count: unanswered.length });
    const byName = Object.fromEntries([scores].flat().map((score) => ["name" in score ? score.name : "", score]));
    expect(Object.keys(byName).toSorted()).toEqual(metrics);
    for (const name of metrics) {
      expect(byName[name]).toMatchObject(
        isAnswered(name) ? { status: "SUCCESS" } : { status: "FAILED", metadata: { code: "judge_refused" } },
      );
    }
    expect(byName).toMatchObject({
      argument_correctness: { value: "1.0", reason: expect.stringMatching(/^offline\/rules/u) },
      coherence: { value: expect.stringMatching(/^0\.\d+$/u), metadata: { model: "offline/words" } },
      confidence: { value: "1.0", reason: expect.stringMatching(/^offline\/rules/u) },
      plan_adherence: { value: "1.0", metadata: { plan: [] }, applicable: false, inapplicable_code: "no_plan" },
      plan_quality: { value: "1.0", metadata: { plan: [] }, applicable: false, inapplicable_code: "no_plan" },
      step_efficiency: { value: "1.0", reason: expect.stringMatching(/^offline\/rules/u) },
      task_completion: {
        value: "1.0",
        judge: { provider: "offline", model: "rules" },
        applicable: true,
        original: null,
        trace_version: 1,
      },
      tool_correctness: { value: "1.0" },
    });
  });
});

import { describe, expect, inject, test } from "vitest";
import { listTraceMetrics } from "../../../lib/contract/metrics/trace-metrics.ts";
import { createTraceRun, listTraceRunScores } from "../../../lib/contract/runs/trace-runs.ts";
import { createTrace } from "../../../lib/contract/traces/traces.ts";
import { newProject } from "../../support/service/client.ts";
import { endedRun } from "../../support/runs/ended-run.ts";
import { someTrace } from "../../support/traces/traces.ts";

const project = newProject(inject("service"));

describe("a run of all metrics", () => {
  test("scores each of them from the front door to the score", async () => {
    await project.answer(createTrace, {
      body: someTrace({ input: "Where is my order?", output: "It is on its way." }),
    });
    const metrics = (await project.answer(listTraceMetrics)).map(({ name }) => name);
    const run = await project.answer(createTraceRun, { body: { metrics } });

    const ended = await endedRun(project, run);
    const scores = await project.answer(listTraceRunScores, { params: { run_id: run.id } });

    expect(ended).toMatchObject({ status: "COMPLETED", evaluated_count: 1, failed_count: 0, error_message: null });
    const byName = Object.fromEntries([scores].flat().map((score) => ["name" in score ? score.name : "", score]));
    expect(Object.keys(byName).toSorted()).toEqual(metrics);
    expect(byName).toMatchObject({
      argument_correctness: { value: "1.0", reason: expect.stringMatching(/^offline\/rules/u) },
      coherence: { value: expect.stringMatching(/^0\.\d+$/u), metadata: { model: "offline/words" } },
      confidence: { value: "1.0", reason: expect.stringMatching(/^offline\/rules/u) },
      plan_adherence: { value: "1.0", metadata: { plan: [] } },
      plan_quality: { value: "1.0", metadata: { plan: [] } },
      step_efficiency: { value: "1.0", reason: expect.stringMatching(/^offline\/rules/u) },
      task_completion: { value: "1.0" },
      tool_correctness: { value: "1.0" },
    });
  });
});

import { expect, inject, test } from "vitest";
import { createTraceRun } from "../../../lib/contract/runs/trace-runs.ts";
import { createTrace } from "../../../lib/contract/traces/traces.ts";
import { newProject } from "../../support/service/client.ts";
import { eventsWith } from "../../support/service/local-events.ts";
import { atLeast, eventually } from "../../support/service/local-fixture.ts";

test("the end of a run is announced once, with its numbers and without text of its traces", async () => {
  const client = newProject(inject("service"));
  const text = "nobody else writes this";
  await client.answer(createTrace, { body: { name: text, started_at: "2026-10-01", input: text, output: text } });

  const { id, project_id } = await client.answer(createTraceRun, { body: { metrics: ["tool_correctness"] } });
  const events = await eventually(() => atLeast(eventsWith("run_id", id)));

  expect(events).toMatchObject([
    {
      source: "assay",
      "detail-type": "run.completed",
      detail: {
        version: 1,
        stage: "local",
        project_id,
        total_targets: 1,
        scored_count: 1,
        failed_count: 0,
        cost_usd: 0,
      },
    },
  ]);
  expect(events[0]?.detail["url"]).toMatch(
    new RegExp(`^https?://.*/console#/runs/${id}\\?project=${project_id}$`, "u"),
  );
  expect(JSON.stringify(events)).not.toContain(text);
});

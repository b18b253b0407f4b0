import { setTimeout as wait } from "node:timers/promises";
import { expect, inject, test } from "vitest";
import { createMonitor, triggerMonitor } from "../../../../lib/contract/monitors/monitors.ts";
import { createTraceScore } from "../../../../lib/contract/scores/trace-scores.ts";
import { createTrace, listTraces } from "../../../../lib/contract/traces/traces.ts";
import { newProject } from "../../../support/service/client.ts";
import { eventually } from "../../../support/service/local-fixture.ts";

test("a trace with a bad score after a monitor's run is in the next run, once", async () => {
  const project = newProject(inject("service"));
  const started_at = "2026-10-01T10:00:00.000000+00:00";
  const { trace_id } = await project.answer(createTrace, { body: { name: "x", started_at } });
  const score = ["quality<0.5"];
  const monitorBody = {
    name: "bad ones",
    target_type: "TRACE",
    metrics: ["confidence"],
    cadence: "weekly",
    scope: "changed",
  };
  const { id } = await project.answer(createMonitor, { body: { ...monitorBody, filters: { score } } });
  const run = async () => (await project.answer(triggerMonitor, { params: { monitor_id: id } })).total_traces;
  // A change within the same millisecond as a run is found by the next run.
  const later = () => wait(5);

  const before = await run();
  await later();
  await project.answer(createTraceScore, { body: { trace_id, name: "quality", value: 0.25 } });
  await eventually(async () => (await project.answer(listTraces, { query: { score } })).total === 1 || undefined);
  await later();

  expect([before, await run(), await run()]).toEqual([0, 1, 0]);
});

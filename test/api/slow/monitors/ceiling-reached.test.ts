import { afterAll, beforeAll, expect, test } from "vitest";
import { synthesizeForDevelopment } from "../../../../infra/local/synth.ts";
import { getAlert } from "../../../../lib/contract/monitors/alerts.ts";
import { createMonitor, triggerMonitor } from "../../../../lib/contract/monitors/monitors.ts";
import { getTraceRun } from "../../../../lib/contract/runs/trace-runs.ts";
import { variables } from "../../../../lib/wiring/environment.ts";
import { type FakeDecisions, startFakeDecisions } from "../../../support/runs/fake-decisions.ts";
import { addTrace } from "../../../support/runs/trace-runs.ts";
import { newProject } from "../../../support/service/client.ts";
import { eventually } from "../../../support/service/local-fixture.ts";
import { type RunningService, startService } from "../../../support/service/service.ts";
import { withJudgeVariables } from "../../../support/service/with-variables.ts";

const model = "systemone/jev";

let service: RunningService;
let decisions: FakeDecisions;

beforeAll(async () => {
  decisions = await startFakeDecisions();
  service = await startService({
    providers: { systemone: { baseUrl: decisions.url } },
    synthesize: async (...request) =>
      withJudgeVariables(await synthesizeForDevelopment(...request), {
        [variables.judgePrices]: JSON.stringify({ [model]: { input: 1000, output: 0 } }),
        [variables.projectMonthlyCostCeiling]: "0.01",
      }),
  });
});
afterAll(async () => {
  await service.close();
  await decisions.close();
});

test("a monitor whose run waits for a monthly ceiling has an alert that says which", async () => {
  const client = newProject(service);
  await addTrace(client, { input: "Hi", output: "Hello" });
  const monitor = await client.answer(createMonitor, {
    body: { name: "nightly", target_type: "TRACE", metrics: ["task_completion"], cadence: "weekly", model },
  });
  const { id } = await client.answer(triggerMonitor, { params: { monitor_id: monitor.id } });

  const alert = await eventually(async () => {
    const current = await client.answer(getAlert, { params: { alert_id: monitor.id } });
    return current.state === "ALERT" ? current : undefined;
  });
  const run = await client.answer(getTraceRun, { params: { run_id: id } });

  expect(run).toMatchObject({ status: "RUNNING", waiting_for: expect.stringContaining("project") });
  expect(alert.last_evaluation).toMatchObject({ value: null, count: 0, reason: run.waiting_for });
  expect(decisions.calls).toEqual([]);
});

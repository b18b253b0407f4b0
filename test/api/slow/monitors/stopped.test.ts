import { expect, inject, test } from "vitest";
import { createCustomMetric } from "../../../../lib/contract/metrics/custom-metrics.ts";
import {
  deleteAlert,
  getAlert,
  listAlertHistory,
  listAlerts,
  updateAlert,
} from "../../../../lib/contract/monitors/alerts.ts";
import {
  createMonitor,
  deleteMonitor,
  triggerMonitor,
  updateMonitor,
} from "../../../../lib/contract/monitors/monitors.ts";
import { createTrace } from "../../../../lib/contract/traces/traces.ts";
import { endedRun } from "../../../support/runs/ended-run.ts";
import { type Client, newProject } from "../../../support/service/client.ts";
import { eventually } from "../../../support/service/local-fixture.ts";

const service = inject("service");

/** A project with a trace, and a monitor of a metric for which the offline judge has no rule. */
const stoppedMonitor = async (fields: object = {}) => {
  const client = newProject(service);
  await client.answer(createTrace, {
    body: { name: "agent", started_at: "2026-10-01T10:00:00Z", input: "Hi", output: "Hello" },
  });
  await client.answer(createCustomMetric, { body: { name: "unjudged", description: "Evaluates something." } });
  const body = {
    name: "nightly",
    target_type: "TRACE",
    metrics: ["unjudged"],
    cadence: "weekly",
    only_if_changed: false,
  };
  const { id } = await client.answer(createMonitor, { body: { ...body, ...fields } });
  return { client, monitor_id: id, params: { alert_id: id } };
};

const runEnds = async (client: Client, monitor_id: string) =>
  await endedRun(client, await client.answer(triggerMonitor, { params: { monitor_id } }));

test("a monitor whose runs score nothing has an alert with the reason, until a run scores", async () => {
  const { client, monitor_id, params } = await stoppedMonitor();
  const reached = (state: string) =>
    eventually(async () => {
      const alert = await client.answer(getAlert, { params });
      return alert.state === state ? alert : undefined;
    });
  expect((await client.page(listAlerts)).items).toMatchObject([
    { id: monitor_id, monitor_id, signal: "evaluation", state: "NO_DATA", enabled: true, window: null },
  ]);

  await runEnds(client, monitor_id);
  const raised = await reached("ALERT");
  expect(raised).toMatchObject({ name: "Evaluation of nightly has stopped", severity: "critical" });
  expect(raised.last_evaluation).toMatchObject({ verdict: "alert", value: 0, count: 1 });
  expect(raised.last_evaluation?.reason).toContain("The judgement failed: ");
  await runEnds(client, monitor_id);
  await client.answer(updateMonitor, { params: { monitor_id }, body: { metrics: ["task_completion"] } });
  await runEnds(client, monitor_id);
  await reached("OK");

  const { items: history } = await client.page(listAlertHistory, { params });
  expect(history.map(({ transition, value }) => [transition, value])).toEqual([
    ["cleared", 1],
    ["raised", 0],
  ]);
  await client.answer(deleteMonitor, { params: { monitor_id } });
  expect((await client.page(listAlerts)).items).toEqual([]);
  expect((await client.call(getAlert, { params })).status).toBe(404);
});

test("the alert of a monitor can be turned off", async () => {
  const { client, monitor_id } = await stoppedMonitor({ alert_if_stopped: false });
  await runEnds(client, monitor_id);
  const other = await client.answer(createMonitor, {
    body: { name: "other", target_type: "TRACE", metrics: ["unjudged"], cadence: "weekly" },
  });
  await runEnds(client, other.id);
  // The stream has passed the first run when it has passed the second.
  const alerts = await eventually(async () => {
    const { items: list } = await client.page(listAlerts);
    return list.some(({ state }) => state === "ALERT") ? list : undefined;
  });

  expect(new Map(alerts.map(({ id, enabled, state }) => [id, { enabled, state }]))).toEqual(
    new Map([
      [other.id, { enabled: true, state: "ALERT" }],
      [monitor_id, { enabled: false, state: "NO_DATA" }],
    ]),
  );
  const ofState = async (state: string) => {
    const { items, total } = await client.page(listAlerts, { query: { state } });
    return { ids: items.map(({ id }) => id), total };
  };
  expect(await ofState("ALERT")).toEqual({ ids: [other.id], total: 1 });
  expect(await ofState("NO_DATA")).toEqual({ ids: [monitor_id], total: 1 });
  expect(await ofState("OK")).toEqual({ ids: [], total: 0 });
  const params = { alert_id: monitor_id };
  const refusals = [await client.call(updateAlert, { params, body: {} }), await client.call(deleteAlert, { params })];
  for (const { status, text } of refusals)
    expect([status, text]).toEqual([409, expect.stringContaining("set alert_if_stopped of the monitor")]);
});

test("an alert that is turned off while it is raised is cleared, and does not last when it is turned on again", async () => {
  const { client, monitor_id, params } = await stoppedMonitor();
  await runEnds(client, monitor_id);
  await eventually(async () => (await client.answer(getAlert, { params })).state === "ALERT" || undefined);
  for (const alert_if_stopped of [false, true])
    await client.answer(updateMonitor, { params: { monitor_id }, body: { alert_if_stopped } });

  expect(await client.answer(getAlert, { params })).toMatchObject({ state: "NO_DATA", enabled: true });
  const {
    items: [last],
  } = await client.page(listAlertHistory, { params });
  expect(last).toMatchObject({ transition: "cleared", reason: "alert_if_stopped was set to false." });
});

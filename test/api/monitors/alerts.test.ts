import { expect, inject, test } from "vitest";
import {
  createAlert,
  deleteAlert,
  getAlert,
  listAlertHistory,
  listAlerts,
} from "../../../lib/contract/monitors/alerts.ts";
import { newProject } from "../../support/service/client.ts";

const service = inject("service");
const volume = { name: "silence", signal: "volume", window: "5m", threshold: 10 };

test("a rule is stored with its defaults, listed by name and gone when it is deleted", async () => {
  const client = newProject(service);
  const rule = await client.answer(createAlert, { body: volume });
  await client.answer(createAlert, { body: { ...volume, name: "a", filters: { environment: "production" } } });

  expect(rule).toMatchObject({ compare_with: "threshold", minimum_count: 30, significance: true, state: "NO_DATA" });
  const composite = { ...volume, name: "b", signal: "score_mean", metric_name: "agent_reliability" };
  expect((await client.answer(createAlert, { body: composite })).warnings).toEqual([
    expect.stringContaining("a metric of traces, such as task_completion"),
  ]);
  expect((await client.answer(listAlerts)).map(({ name }) => name)).toEqual(["a", "b", "silence"]);
  const params = { alert_id: rule.id };
  expect(await client.answer(getAlert, { params })).toEqual(rule);
  expect(await client.answer(listAlertHistory, { params })).toEqual([]);
  await client.answer(deleteAlert, { params });
  expect((await client.call(getAlert, { params })).status).toBe(404);
});

test.each([
  [{ signal: "score_mean" }, "metric_name", "needs the name of a score"],
  [{ metric_name: "task_completion" }, "metric_name", "has no metric_name"],
  [{ filters: { score: ["x<1"] } }, "score", "cannot filter traces by score"],
  [{ filters: { releas: "1" } }, "releas", "release"],
])("a rule with %j is refused with advice", async (change, field, advice) => {
  const { status, text } = await newProject(service).call(createAlert, { body: { ...volume, ...change } });
  expect([status, text]).toEqual([422, expect.stringContaining(field)]);
  expect(text).toContain(advice);
});

import { randomUUID } from "node:crypto";
import { beforeAll, describe, expect, inject, test } from "vitest";
import {
  createAlert,
  deleteAlert,
  getAlert,
  listAlertHistory,
  listAlerts,
  testAlert,
  updateAlert,
} from "../../../../lib/contract/monitors/alerts.ts";
import { previewAlert } from "../../../../lib/contract/monitors/alert-preview.ts";
import { createTraceScore } from "../../../../lib/contract/scores/trace-scores.ts";
import { createTraces } from "../../../../lib/contract/traces/batch.ts";
import { eventsWith } from "../../../support/service/local-events.ts";
import { atLeast, eventually } from "../../../support/service/local-fixture.ts";
import { newProject } from "../../../support/service/client.ts";

const service = inject("service");
const volume = { name: "silence", signal: "volume", window: "5m", threshold: 10 };

test("a rule is stored with its defaults, listed by name and gone when it is deleted", async () => {
  const client = newProject(service);
  const rule = await client.answer(createAlert, { body: volume });
  await client.answer(createAlert, { body: { ...volume, name: "a", filters: { environment: "production" } } });

  expect(rule).toMatchObject({ compare_with: "threshold", minimum_count: 1, significance: false, state: "NO_DATA" });
  const composite = { ...volume, name: "b", signal: "score_mean", metric_name: "agent_reliability" };
  expect((await client.answer(createAlert, { body: composite })).warnings).toEqual([
    expect.stringContaining("a metric of traces, such as task_completion"),
  ]);
  const names = async (query: { limit?: number; offset?: number; cursor?: string } = {}) => {
    const { items, ...page } = await client.page(listAlerts, { query });
    return { ...page, names: items.map(({ name }) => name) };
  };
  const whole = { total: 3, limit: 50, offset: 0, next_cursor: null };
  expect(await names()).toEqual({ ...whole, names: ["a", "b", "silence"] });
  expect(await names({ limit: 1, offset: 2 })).toEqual({ ...whole, limit: 1, offset: 2, names: ["silence"] });
  const { next_cursor: cursor } = await names({ limit: 2 });
  expect(await names({ limit: 2, cursor: cursor ?? "" })).toMatchObject({ total: 3, offset: 2, names: ["silence"] });
  const params = { alert_id: rule.id };
  expect(await client.answer(getAlert, { params })).toEqual(rule);
  expect((await client.page(listAlertHistory, { params })).items).toEqual([]);
  await client.answer(deleteAlert, { params });
  expect((await client.call(getAlert, { params })).status).toBe(404);
});

test("a test of a rule arrives as an alert that says so, and changes nothing of the rule", async () => {
  const client = newProject(service);
  const rule = await client.answer(createAlert, { body: { ...volume, severity: "critical" } });
  const params = { alert_id: rule.id };

  const { event_id } = await client.answer(testAlert, { params });
  const [event] = await eventually(() => atLeast(eventsWith("alert_id", rule.id)));

  expect(event).toMatchObject({
    "detail-type": "alert.raised",
    detail: { id: event_id, is_test: true, alert_name: "Test: silence", severity: "critical", value: null, count: 0 },
  });
  expect(event?.detail["url"]).toMatch(new RegExp(`#/alerts/${rule.id}\\?project=${rule.project_id}$`, "u"));
  expect(await client.answer(getAlert, { params })).toEqual(rule);
  expect((await client.page(listAlertHistory, { params })).items).toEqual([]);
  expect((await newProject(service).call(testAlert, { params })).status).toBe(404);
  expect((await client.answer(previewAlert, { body: volume })).receivers).toEqual([]);
});

test.each([
  [{ signal: "score_mean" }, "metric_name", "needs the name of a score"],
  [{ metric_name: "task_completion" }, "metric_name", "has no metric_name"],
  [{ signal: "score_is", metric_name: "tone" }, "category", "needs the value of a score"],
  [{ category: "rude" }, "category", "has no category"],
  [{ filters: { score: ["x<1"] } }, "score", "cannot filter traces by score"],
  [{ filters: { releas: "1" } }, "releas", "release"],
  [
    { signal: "score_mean", metric_name: "agent_reliability", filters: { environment: "production" } },
    "filters",
    "is a metric of sessions",
  ],
])("a rule with %j is refused with advice", async (change, field, advice) => {
  const { status, text } = await newProject(service).call(createAlert, { body: { ...volume, ...change } });
  expect([status, text]).toEqual([422, expect.stringContaining(field)]);
  expect(text).toContain(advice);
});

test.each([
  [{ threshold: 1 }, ["fewer than 1 traces"]],
  [{ threshold: 1, no_data: "alert" }, []],
  [{ threshold: 1, no_data: "alert", minimum_count: 30 }, ["fewer than 30 traces"]],
  [{ signal: "error_rate", threshold: 5 }, ["a share between 0 and 1"]],
  [{ signal: "cost", threshold: -1 }, ["never negative"]],
  [{ signal: "cost", threshold: -0.1, compare_with: "last_week" }, ["although nothing has changed"]],
  [{ signal: "score_mean", metric_name: "tone", threshold: -0.5 }, ['no metric has the name "tone"']],
])("a rule with %j has the warnings %j", async (change, expected) => {
  const { warnings } = await newProject(service).answer(createAlert, { body: { ...volume, ...change } });
  expect(warnings).toEqual(expected.map((text) => expect.stringContaining(text)));
});

test("filters by score that are not set are no filters, and a metric of sessions is refused beside stored filters", async () => {
  const client = newProject(service);
  const filters = { score: null, no_score: null, environment: "production" };
  const { id } = await client.answer(createAlert, { body: { ...volume, filters } });
  const body = { signal: "score_mean", metric_name: "agent_reliability" };
  const { status, text } = await client.call(updateAlert, { params: { alert_id: id }, body });
  expect([status, text]).toEqual([422, expect.stringContaining("remove the filters")]);
});

test("an update keeps absent fields, pauses and resumes, and is refused as a whole", async () => {
  const client = newProject(service);
  const body = { ...volume, filters: { environment: "production" }, repeat_every: "1h" };
  const rule = await client.answer(createAlert, { body });
  const params = { alert_id: rule.id };

  const changed = await client.answer(updateAlert, { params, body: { threshold: 3, enabled: false } });
  expect(changed).toEqual({ ...rule, threshold: 3, enabled: false });
  const wrong = await client.call(updateAlert, { params, body: { signal: "score_mean", threshold: 1 } });
  expect([wrong.status, wrong.text]).toEqual([422, expect.stringContaining("needs the name of a score")]);
  const resumed = await client.answer(updateAlert, { params, body: { enabled: true, repeat_every: null } });
  expect(resumed).toEqual({ ...rule, threshold: 3, repeat_every: null });
  expect(await client.answer(getAlert, { params })).toEqual(resumed);
  const unknown = { alert_id: "0b6c2f3e-6f0a-4f3e-9a53-1f8f6a1d2c01" };
  expect((await client.call(updateAlert, { params: unknown, body: { threshold: 3 } })).status).toBe(404);
});

const end = Date.parse("2026-11-20T12:00:00Z");
const at = (minute: number): string => new Date(end + minute * 60_000).toISOString();

describe("a preview", () => {
  const client = newProject(service);
  const errors = { name: "errors", signal: "error_rate", window: "5m", threshold: 0.3, minimum_count: 2 };
  const range = { date_from: at(-30), date_to: at(0) };

  beforeAll(async () => {
    // Minutes before the end, and status, of traces in windows of five minutes: none, ok, failed, failed, ok, ok.
    const minutes = [24, 22, 19, 18, 17, 13, 12, 8, 6, 3, 1, 0];
    const traces = minutes.map((minute) => ({
      trace_id: randomUUID(),
      name: "agent",
      started_at: at(-minute),
      status: minute > 10 && minute < 20 ? "ERROR" : "COMPLETED",
      environment: minute === 17 ? "staging" : "production",
    }));
    await client.answer(createTraces, { body: { traces } });
    for (const [index, { trace_id }] of traces.entries())
      for (const score of [
        { name: "helpful", value: index < 4 ? "0.2" : "0.9" },
        { name: "tone", value: index < 3 ? "rude" : "kind", data_type: "CATEGORICAL" },
      ])
        await client.answer(createTraceScore, { body: { trace_id, ...score } });
  });

  test("shows each window and when the rule would have fired", async () => {
    const body = { ...errors, ...range, significance: false };
    const { windows, transitions, observations } = await client.answer(previewAlert, { body });

    expect(
      windows.map(({ window_end, value, count, state }) => [window_end.slice(11, 16), value, count, state]),
    ).toEqual([
      ["11:35", null, 0, "NO_DATA"],
      ["11:40", 0, 2, "OK"],
      ["11:45", 1, 3, "ALERT"],
      ["11:50", 1, 2, "ALERT"],
      ["11:55", 0, 2, "ALERT"],
      ["12:00", 0, 2, "OK"],
    ]);
    expect(transitions.map(({ transition, window_end }) => [transition, window_end.slice(11, 16)])).toEqual([
      ["raised", "11:45"],
      ["cleared", "12:00"],
    ]);
    expect(transitions[0]).toMatchObject({ verdict: "alert", value: 1, reference: 0.3, count: 3 });
    expect(observations).toBe(11);
    expect((await client.page(listAlerts)).items).toEqual([]);
  });

  test("compares with the window before, and counts what the filters match", async () => {
    const body = { ...errors, ...range, date_from: at(-15), compare_with: "previous_window", significance: false };
    const filters = { environment: "production" };
    const { windows } = await client.answer(previewAlert, { body: { ...body, filters } });

    expect(windows.map(({ value, reference, reference_count: count }) => [value, reference, count])).toEqual([
      [1, 1, 2],
      [0, 1, 2],
      [0, 0, 2],
    ]);
  });

  test("counts scores at their creation, with and without filters of their traces", async () => {
    const body = { ...errors, signal: "score_below", metric_name: "helpful", window: "1h", compare_with: "threshold" };
    const soon = new Date(Math.ceil(Date.now() / 60_000) * 60_000).toISOString();
    const preview = async (filters: object, changes: object = {}) => {
      const days = { date_from: new Date(Date.parse(soon) - 3_600_000).toISOString(), date_to: soon };
      return (await client.answer(previewAlert, { body: { ...body, ...days, filters, ...changes } })).windows.at(-1);
    };

    expect(await preview({})).toMatchObject({ count: 12, value: 4 / 12 });
    const share = { metric_name: "tone", category: "rude", threshold: 0.2, minimum_count: 1, significance: false };
    expect(await preview({}, { ...share, signal: "score_is" })).toMatchObject({ value: 0.25, verdict: "alert" });
    expect(await preview({}, { ...share, signal: "score_is_not" })).toMatchObject({ value: 0.75, count: 12 });
    // Their traces started long before.
    expect(await preview({ environment: "production" })).toMatchObject({ count: 0, state: "NO_DATA" });
  });

  test.each([
    [{ date_from: at(-60_000) }, "12,000 windows of 5m"],
    [{ window: "7d", date_from: at(-90_000) }, "at most 8 weeks"],
    [{ date_from: at(-3) }, "at least one window of 5m"],
    [{ signal: "score_mean" }, "needs the name of a score"],
  ])("of %j is refused with advice", async (change, advice) => {
    const { status, text } = await client.call(previewAlert, { body: { ...errors, ...range, ...change } });

    expect([status, text]).toEqual([422, expect.stringContaining(advice)]);
  });
});

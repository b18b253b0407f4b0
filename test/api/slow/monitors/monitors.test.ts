import { randomUUID } from "node:crypto";
import type { InferInput } from "valibot";
import { describe, expect, inject, test } from "vitest";
import {
  createMonitor,
  deleteMonitor,
  getMonitor,
  listMonitors,
  pauseMonitor,
  resumeMonitor,
  triggerMonitor,
  updateMonitor,
} from "../../../../lib/contract/monitors/monitors.ts";
import { listFirings, listMonitorRuns } from "../../../../lib/contract/monitors/firings.ts";
import { createTrace } from "../../../../lib/contract/traces/traces.ts";
import { type Client, newProject } from "../../../support/service/client.ts";
import { endedRun } from "../../../support/runs/ended-run.ts";
import { expectStatus, problems } from "../../../support/reply-shape.ts";
import { someTrace } from "../../../support/traces/traces.ts";

const service = inject("service");

type Body = Partial<InferInput<NonNullable<(typeof createMonitor)["body"]>>> & Record<string, unknown>;

const monitorBody = (fields: Body = {}): Body => ({
  name: "nightly",
  target_type: "TRACE",
  metrics: ["task_completion"],
  cadence: "daily",
  ...fields,
});

const create = (client: Client, fields: Body = {}) => client.answer(createMonitor, { body: monitorBody(fields) });

const minutesFromNow = (instant: string | null): number => (Date.parse(instant ?? "") - Date.now()) / 60_000;

describe("a monitor", () => {
  test("is created ACTIVE with the documented defaults and the first instant of its cadence", async () => {
    const client = newProject(service);

    const reply = await client.call(createMonitor, { body: monitorBody() });

    expectStatus(reply, 201);
    const { id, project_id, created_at, updated_at, next_run_at, ...settings } = reply.body;
    expect(settings).toEqual({
      name: "nightly",
      target_type: "TRACE",
      metric_names: ["task_completion"],
      filters: {},
      sampling_rate: 1,
      model: null,
      judge: null,
      cadence: "daily",
      only_if_changed: true,
      scope: "all",
      tier: null,
      max_cost_usd: null,
      alert_if_stopped: true,
      status: "ACTIVE",
      paused_reason: null,
      last_run_at: null,
      last_run_id: null,
    });
    expect(updated_at).toBe(created_at);
    expect(next_run_at).toMatch(/:00\.000000\+00:00$/);
    expect(minutesFromNow(next_run_at)).toBeGreaterThan(24 * 60 - 1);
    expect(await client.answer(getMonitor, { params: { monitor_id: id } })).toEqual(reply.body);
    expect(project_id).not.toBe(id);
  });

  test("returns its cron expression as it was sent, and does not return its weights", async () => {
    const client = newProject(service);

    const monitor = await create(client, {
      target_type: "SESSION",
      metrics: ["agent_reliability"],
      filters: { has_error: true, min_trace_count: 2, tags: null },
      cadence: "cron:   0  3 1 * mon  ",
      signal_weights: { confidence: 2 },
    });

    expect(monitor.cadence).toBe("cron:0  3 1 * mon");
    expect(monitor.filters).toEqual({ has_error: true, min_trace_count: 2 });
    expect(JSON.stringify(monitor)).not.toContain("signal_weights");
  });

  test("is created once by a request that is repeated", async () => {
    const client = newProject(service);
    const options = { body: monitorBody(), headers: { "Idempotency-Key": randomUUID() } };

    const [first, second] = [await client.answer(createMonitor, options), await client.answer(createMonitor, options)];

    expect(second).toEqual(first);
    expect((await client.answer(listMonitors)).total).toBe(1);
  });

  test.each<[string, Body, string, string]>([
    [
      "an unknown metric",
      { metrics: ["x", "loop_detection"] },
      "body.metrics",
      "Unknown metrics: x, loop_detection. Known are: ",
    ],
    [
      "a metric of sessions",
      { metrics: ["agent_reliability"] },
      "body.metrics",
      "Unknown metrics: agent_reliability. Known are: ",
    ],
    [
      "a filter of sessions",
      { filters: { min_traces: 2 } },
      "body.filters.min_traces",
      "Extra inputs are not permitted",
    ],
    [
      "an invalid date",
      { filters: { date_from: "soon" } },
      "body.filters.date_from",
      "Input should be a valid datetime or date",
    ],
    ["weights", { signal_weights: {} }, "body.signal_weights", "signal_weights is only valid for SESSION monitors."],
    [
      "an invalid cadence",
      { cadence: "hourly" },
      "body.cadence",
      "Invalid cadence 'hourly'. Must be one of every_6h, daily, weekly or 'cron:<expression>'.",
    ],
    [
      "a cron expression that never matches",
      { cadence: "cron:0 0 30 2 *" },
      "body.cadence",
      "Cron expression '0 0 30 2 *' never matches.",
    ],
  ])("of traces with %s is refused", async (_, fields, loc, msg) => {
    const client = newProject(service);

    const reply = await client.call(createMonitor, { body: monitorBody(fields) });

    expectStatus(reply, 422);
    expect(problems(reply)).toEqual([loc]);
    expect(reply.text).toContain(JSON.stringify(msg).slice(1, -1));
    expect((await client.answer(listMonitors)).total).toBe(0);
  });

  test("with several errors is refused with all of them at once", async () => {
    const body = monitorBody({ metrics: ["x"], cadence: "x", filters: { a: 1, b: 2 }, signal_weights: {} });

    const reply = await newProject(service).call(createMonitor, { body });

    expectStatus(reply, 422);
    expect(problems(reply)).toEqual([
      "body.metrics",
      "body.cadence",
      "body.signal_weights",
      "body.filters.a",
      "body.filters.b",
    ]);
  });

  test("is updated in the fields that are sent, and a null resets or clears a field", async () => {
    const client = newProject(service);
    const { id } = await create(client, { filters: { name: "a" }, model: "custom/x", max_cost_usd: 1 });
    const patch = (body: object) => client.answer(updateMonitor, { params: { monitor_id: id }, body });

    const unchanged = await patch({});
    const renamed = await patch({ name: "weekly", sampling_rate: 0.5, only_if_changed: false, scope: "changed" });
    const cleared = await patch({ filters: null, model: null, max_cost_usd: null, signal_weights: null });

    expect(unchanged.updated_at).toBe(unchanged.created_at);
    expect(renamed).toMatchObject({ name: "weekly", sampling_rate: 0.5, only_if_changed: false, scope: "changed" });
    expect(renamed).toMatchObject({ filters: { name: "a" }, next_run_at: unchanged.next_run_at });
    expect(cleared).toMatchObject({ filters: {}, model: null, max_cost_usd: null, name: "weekly" });
    expect(cleared.updated_at > renamed.updated_at).toBe(true);
  });

  test.each(["name", "metrics", "cadence", "sampling_rate", "only_if_changed", "scope"])(
    "refuses null for %s",
    async (field) => {
      const client = newProject(service);
      const { id } = await create(client);

      const reply = await client.call(updateMonitor, { params: { monitor_id: id }, body: { [field]: null } });

      expectStatus(reply, 422);
      expect(problems(reply)).toEqual([`body.${field}`]);
    },
  );

  test("computes its next instant from the time of the update of its cadence", async () => {
    const client = newProject(service);
    const { id } = await create(client);

    const monitor = await client.answer(updateMonitor, { params: { monitor_id: id }, body: { cadence: "every_6h" } });

    expect(minutesFromNow(monitor.next_run_at)).toBeLessThan(6 * 60 + 2);
    expect(minutesFromNow(monitor.next_run_at)).toBeGreaterThan(6 * 60 - 2);
  });

  test("has no next instant while it is paused, and pausing or resuming it again changes nothing", async () => {
    const client = newProject(service);
    const { id } = await create(client);
    const params = { monitor_id: id };

    const paused = await client.answer(pauseMonitor, { params });
    const pausedAgain = await client.answer(pauseMonitor, { params });
    const moved = await client.answer(updateMonitor, { params, body: { cadence: "weekly" } });
    const resumed = await client.answer(resumeMonitor, { params });
    const active = await client.answer(resumeMonitor, { params });

    expect(paused).toMatchObject({ status: "PAUSED", next_run_at: null });
    expect(pausedAgain).toEqual(paused);
    expect(moved).toMatchObject({ status: "PAUSED", cadence: "weekly", next_run_at: null });
    expect(resumed.status).toBe("ACTIVE");
    expect(minutesFromNow(resumed.next_run_at)).toBeGreaterThan(7 * 24 * 60 - 2);
    expect(active).toEqual(resumed);
  });

  test("is not found after its deletion", async () => {
    const client = newProject(service);
    const { id } = await create(client);
    const params = { monitor_id: id };

    expectStatus(await client.call(deleteMonitor, { params }), 204);

    for (const route of [
      getMonitor,
      updateMonitor,
      deleteMonitor,
      pauseMonitor,
      resumeMonitor,
      triggerMonitor,
      listFirings,
    ]) {
      const reply = await client.call(route, { params, ...(route === updateMonitor && { body: {} }) });
      expect({ status: reply.status, body: reply.body }).toEqual({
        status: 404,
        body: { detail: `Eval monitor ${id} not found.` },
      });
    }
  });

  test("is listed newest first, and can be filtered by status", async () => {
    const client = newProject(service);
    const ids: string[] = [];
    for (const name of ["a", "b", "c"]) ids.unshift((await create(client, { name })).id);
    await client.answer(pauseMonitor, { params: { monitor_id: ids[1] ?? "" } });

    const monitors = await client.answer(listMonitors);
    const second = await client.answer(listMonitors, { query: { limit: 1, offset: 1 } });
    const active = await client.answer(listMonitors, { query: { status: "ACTIVE" } });

    expect(monitors.items.map(({ id }) => id)).toEqual(ids);
    expect(second).toMatchObject({ items: [{ id: ids[1] }], total: 3, limit: 1, offset: 1 });
    expect(active.items.map(({ id }) => id)).toEqual([ids[0], ids[2]]);
    expectStatus(await client.call(listMonitors, { query: { status: "active" } }), 422);
  });
});

describe("triggering a monitor", () => {
  test("creates a run of the traces that match now, paused or not, and does not change the schedule", async () => {
    const client = newProject(service);
    await client.answer(createTrace, { body: someTrace({ tags: ["a"] }) });
    await client.answer(createTrace, { body: someTrace({ tags: ["b"] }) });
    const { id } = await create(client, { filters: { tags: ["a"] } });
    const params = { monitor_id: id };
    const before = await client.answer(pauseMonitor, { params });

    const reply = await client.call(triggerMonitor, { params });
    const run = await endedRun(client, reply.body);
    const after = await client.answer(getMonitor, { params });

    expectStatus(reply, 202);
    expect(reply.body).toMatchObject({ name: "[Monitor] nightly", status: "PENDING", monitor_id: id, total_traces: 1 });
    expect(run).toMatchObject({ status: "COMPLETED", evaluated_count: 1, filters: { tags: ["a"] } });
    expect(after).toEqual({ ...before, last_run_at: run.created_at, last_run_id: run.id });
  });

  test("is idempotent for the same request to the same monitor only", async () => {
    const client = newProject(service);
    const headers = { "Idempotency-Key": randomUUID() };
    const [firstMonitor, otherMonitor] = [await create(client), await create(client)];
    const triggerRunId = async (monitor: { readonly id: string }): Promise<string> =>
      (await client.answer(triggerMonitor, { params: { monitor_id: monitor.id }, headers })).id;

    const [firstRun, replayedRun, otherRun] = [
      await triggerRunId(firstMonitor),
      await triggerRunId(firstMonitor),
      await triggerRunId(otherMonitor),
    ];

    expect(replayedRun).toBe(firstRun);
    expect(otherRun).not.toBe(firstRun);
  });

  test("creates a run of unchanged traces, except when only changes are in scope", async () => {
    const client = newProject(service);
    await client.answer(createTrace, { body: someTrace() });
    const allTraces = await create(client);
    const changedTraces = await create(client, { scope: "changed" });
    const totals = async (id: string): Promise<number[]> => {
      const runs = [];
      for (let turn = 0; turn < 2; turn += 1)
        runs.push(await client.answer(triggerMonitor, { params: { monitor_id: id } }));
      return runs.map((run) => run.total_traces);
    };

    expect(await totals(allTraces.id)).toEqual([1, 1]);
    expect(await totals(changedTraces.id)).toEqual([1, 0]);
    await client.answer(createTrace, { body: someTrace() });
    expect((await client.answer(triggerMonitor, { params: { monitor_id: changedTraces.id } })).total_traces).toBe(1);
  });

  test("a dry run estimates what the next trigger would judge, with the monitor's scope, sample and judge, and starts nothing", async () => {
    const client = newProject(service);
    const add = async (count: number): Promise<void> => {
      for (let each = 0; each < count; each += 1) await client.answer(createTrace, { body: someTrace() });
    };
    await add(2);
    const { id } = await create(client, { scope: "changed", sampling_rate: 0.5, model: "openai/gpt-5.4-mini" });
    const params = { monitor_id: id };
    const estimate = () => client.call(triggerMonitor, { params, query: { dry_run: "true" } });
    await client.answer(triggerMonitor, { params });
    const before = await client.answer(getMonitor, { params });
    const unchanged = await estimate();
    await add(4);

    const changed = await estimate();
    const after = [await client.answer(getMonitor, { params }), (await client.page(listMonitorRuns, { params })).total];
    const run = await client.answer(triggerMonitor, { params, query: { max_cost_usd: "0.5" } });

    expect([unchanged.status, unchanged.body]).toMatchObject([200, { targets: 0, judge_calls: 0 }]);
    expect([changed.status, changed.body]).toMatchObject([200, { targets: 2, judge_calls: 2 }]);
    // The judge of the service's default costs nothing here.
    expect(Object(changed.body).cost_usd).toBeGreaterThan(0);
    expect(after).toEqual([before, 1]);
    expect(run).toMatchObject({ total_traces: 2, max_cost_usd: 0.5 });
    expect((await client.answer(getMonitor, { params })).max_cost_usd).toBeNull();
  });

  test.each(["0", "-1", "free", "1000001"])("refuses the ceiling %s and starts nothing", async (max_cost_usd) => {
    const client = newProject(service);
    const { id } = await create(client);
    const params = { monitor_id: id };

    const reply = await client.call(triggerMonitor, { params, query: { max_cost_usd } });

    expectStatus(reply, 422);
    expect(problems(reply)).toEqual(["query.max_cost_usd"]);
    expect((await client.page(listMonitorRuns, { params })).items).toEqual([]);
  });
});

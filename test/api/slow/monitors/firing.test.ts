import { randomUUID } from "node:crypto";
import { ListSchedulesCommand, SchedulerClient } from "@aws-sdk/client-scheduler";
import { afterAll, beforeAll, expect, test } from "vitest";
import { localClient } from "../../../../infra/local/host/aws-client.ts";
import {
  createMonitor,
  deleteMonitor,
  getMonitor,
  type MonitorReply,
  pauseMonitor,
  resumeMonitor,
  updateMonitor,
} from "../../../../lib/contract/monitors/monitors.ts";
import { getAlert } from "../../../../lib/contract/monitors/alerts.ts";
import { listFirings, listMonitorRuns } from "../../../../lib/contract/monitors/firings.ts";
import { createCustomMetric, deleteCustomMetric } from "../../../../lib/contract/metrics/custom-metrics.ts";
import { createTrace } from "../../../../lib/contract/traces/traces.ts";
import { accessStore } from "../../../../lib/store/access/project-lookup.ts";
import { customMetricStore } from "../../../../lib/store/metrics/custom-metrics.ts";
import { repricingJobs } from "../../../../lib/store/traces/repricing/jobs.ts";
import { traceReader } from "../../../../lib/store/traces/reader.ts";
import { traceStore } from "../../../../lib/store/traces/save.ts";
import { someMetric } from "../../../support/custom-metric.ts";
import { type Client, newProject } from "../../../support/service/client.ts";
import { endedRun } from "../../../support/runs/ended-run.ts";
import { eventually } from "../../../support/service/local-fixture.ts";
import { databaseOf } from "../../../support/service/service-database.ts";
import { type RunningService, startService } from "../../../support/service/service.ts";
import { someTrace } from "../../../support/traces/traces.ts";

const hour = 3_600_000;

let service: RunningService;
/** Milliseconds that the Scheduler's clock is ahead of the real one. */
let clockOffset = 0;

beforeAll(async () => {
  service = await startService({ checkGrants: true, schedulerClock: () => Date.now() + clockOffset });
});
afterAll(() => service.close());

const monitorOf = (client: Client, fields: object = {}): Promise<MonitorReply> =>
  client.answer(createMonitor, {
    body: { name: "nightly", target_type: "TRACE", metrics: ["task_completion"], cadence: "daily", ...fields },
  });

/** The monitor's firings, newest first, once there are at least that many. */
const firings = (client: Client, { id }: MonitorReply, count: number) =>
  eventually(async () => {
    // The monitor is read first: it is moved to its next instant after its firing is final, and a firing decided as RUN
    // becomes FAILED when its run cannot be created.
    const current = await client.answer(getMonitor, { params: { monitor_id: id } });
    const { items } = await client.answer(listFirings, { params: { monitor_id: id } });
    const isFinal =
      items.length >= count && current.next_run_at !== null && current.next_run_at > (items[0]?.scheduled_at ?? "");
    return isFinal ? items : undefined;
  });

/** The built-in alert of a monitor once it is raised. */
const alertOf = (client: Client, { id }: MonitorReply) =>
  eventually(async () => {
    const alert = await client.answer(getAlert, { params: { alert_id: id } });
    return alert.state === "ALERT" ? alert : undefined;
  });

test("a monitor creates a run at its instant, skips it when nothing has changed, and includes late traces", async () => {
  const client = newProject(service);
  await client.answer(createTrace, { body: someTrace() });
  const monitor = await monitorOf(client);

  clockOffset += 25 * hour;
  const [first] = await firings(client, monitor, 1);
  const moved = await client.answer(getMonitor, { params: { monitor_id: monitor.id } });
  const run = await endedRun(client, { id: first?.run_id ?? "" });
  clockOffset += 24 * hour;
  const [second] = await firings(client, monitor, 2);
  await client.answer(createTrace, { body: someTrace({ started_at: "2020-01-01T00:00:00.000000+00:00" }) });
  clockOffset += 24 * hour;
  const [third] = await firings(client, monitor, 3);
  const runs = await client.answer(listMonitorRuns, { params: { monitor_id: monitor.id } });

  expect(first).toMatchObject({ scheduled_at: monitor.next_run_at, outcome: "RUN", reason: null });
  expect(run).toMatchObject({
    status: "COMPLETED",
    name: "[Monitor] nightly",
    monitor_id: monitor.id,
    total_traces: 1,
  });
  expect(moved).toMatchObject({ last_run_id: run.id, last_run_at: run.created_at });
  expect(Date.parse(moved.next_run_at ?? "") - Date.parse(monitor.next_run_at ?? "")).toBe(24 * hour);
  expect(second).toMatchObject({ scheduled_at: moved.next_run_at, outcome: "SKIPPED_UNCHANGED", run_id: null });
  expect(third?.outcome).toBe("RUN");
  expect(runs.items.map(({ id, total_traces }) => [id, total_traces])).toEqual([
    [third?.run_id, 2],
    [run.id, 1],
  ]);
});

test("a monitor that is paused or deleted does not fire, and its schedules are removed", async () => {
  const client = newProject(service);
  const scheduler = new SchedulerClient(localClient(service.stack.endpoints.SCHEDULER));
  const schedules = async (): Promise<string[]> => {
    const { Schedules = [] } = await scheduler.send(new ListSchedulesCommand({ NamePrefix: "" }));
    return Schedules.flatMap(({ Name = "", State = "" }) => (Name.includes(".") ? [State] : []));
  };
  const before = await schedules();
  const monitor = await monitorOf(client, { cadence: "cron:0 3 1 * mon", only_if_changed: false });
  const initialSchedules = await schedules();
  await client.answer(pauseMonitor, { params: { monitor_id: monitor.id } });
  const paused = await schedules();

  clockOffset += 40 * 24 * hour;
  const otherMonitor = await monitorOf(client, { cadence: "cron:* * * * *" });
  clockOffset += hour;
  await firings(client, otherMonitor, 1);
  const { items } = await client.answer(listFirings, { params: { monitor_id: monitor.id } });
  await client.answer(deleteMonitor, { params: { monitor_id: otherMonitor.id } });
  await client.answer(deleteMonitor, { params: { monitor_id: monitor.id } });
  const after = await schedules();
  scheduler.destroy();

  expect(initialSchedules.length - before.length).toBe(2);
  expect(paused.filter((state) => state === "DISABLED").length).toBe(2);
  expect(items).toEqual([]);
  expect(after).toEqual(before);
});

test("a monitor whose metric is deleted is paused with a reason and an alert, and cannot be resumed without it", async () => {
  const client = newProject(service);
  await client.answer(createCustomMetric, { body: someMetric("declines") });
  const [monitor, other] = [await monitorOf(client, { metrics: ["declines@1"] }), await monitorOf(client, {})];
  await client.answer(deleteCustomMetric, { params: { metric_name: "declines" } });
  const params = { monitor_id: monitor.id };
  const paused = await client.answer(getMonitor, { params });
  const refused = await client.call(resumeMonitor, { params });

  expect(paused).toMatchObject({
    status: "PAUSED",
    next_run_at: null,
    paused_reason: expect.stringContaining("declines was deleted"),
  });
  expect([refused.status, refused.text]).toEqual([422, expect.stringContaining("Unknown metrics: declines@1.")]);
  expect(await client.answer(getMonitor, { params })).toEqual(paused);
  expect(await client.answer(getMonitor, { params: { monitor_id: other.id } })).toMatchObject({ status: "ACTIVE" });
  const alert = await alertOf(client, monitor);
  expect(alert.last_evaluation).toMatchObject({ value: null, count: 0, reason: paused.paused_reason });
});

test("a monitor that fires without its metric is paused with a reason and an alert", async () => {
  const client = newProject(service);
  await client.answer(createTrace, { body: someTrace() });
  await client.answer(createCustomMetric, { body: someMetric("declines") });
  const monitor = await monitorOf(client, { metrics: ["declines@1"] });
  const params = { monitor_id: monitor.id };
  await client.answer(pauseMonitor, { params });
  const resumed = await client.answer(resumeMonitor, { params });
  // A monitor that is resumed while its metric is deleted is not in the list of those to pause.
  await customMetricStore(databaseOf(service)).delete(monitor.project_id, "declines");

  clockOffset += 25 * hour;
  const paused = await eventually(async () => {
    const current = await client.answer(getMonitor, { params });
    return current.status === "PAUSED" ? current : undefined;
  });
  const [failed] = (await client.answer(listFirings, { params })).items;
  const updated = await client.answer(updateMonitor, { params, body: { metrics: ["tool_correctness"] } });

  expect(resumed).toMatchObject({ status: "ACTIVE", paused_reason: null });
  expect(failed).toMatchObject({
    outcome: "FAILED",
    run_id: null,
    reason: expect.stringContaining("Unknown metrics: declines@1."),
  });
  expect(paused.paused_reason).toBe(`${failed?.reason} Change the metrics of the monitor, then resume it.`);
  expect(updated).toMatchObject({ status: "PAUSED", paused_reason: null });
  const alert = await alertOf(client, monitor);
  expect(alert.last_evaluation).toMatchObject({ value: null, count: 0, reason: failed?.reason });
  expect((await client.page(listMonitorRuns, { params })).items).toEqual([]);
});

test("the sweeper starts the worker of a requested repricing, and their roles suffice", async () => {
  const database = databaseOf(service);
  const { organizationId } = service.stack.credentials;
  const { id: project } = await accessStore(database, 100).findOrCreateProject(organizationId, randomUUID());
  const span = { span_id: "a", name: "chat", model: "gpt-5.4-mini", started_at: "2026-10-01T10:00:00+00:00" };
  const trace = someTrace({ spans: [{ ...span, token_usage: { prompt_tokens: 1_000_000 } }] });
  await traceStore(database, 0).save(project, trace);
  const jobs = repricingJobs(database);
  const [from, to] = ["2026-10-01T00:00:00+00:00", "2026-11-01T00:00:00+00:00"];
  const request = { id: randomUUID(), organizationId, project, from, to, requestedBy: randomUUID() };
  await jobs.create(request);

  clockOffset += hour;
  const job = await eventually(async () => {
    const current = await jobs.find(project, request.id);
    return current?.status === "COMPLETED" ? current : undefined;
  });

  expect(job).toMatchObject({ looked: 1, repriced: 1, failed: 0 });
  expect((await traceReader(database).get(project, trace.trace_id))?.row.totalCost).toBe(0.75);
  expect(service.stack.denials).toEqual([]);
});

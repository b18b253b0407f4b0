import * as v from "valibot";
import { monitorFields } from "../../domain/monitors/fields.ts";
import { monitorStatuses } from "../../domain/monitors/monitor.ts";
import { targetTypes } from "../../domain/runs/run.ts";
import { closedObject } from "../schema/closed-object.ts";
import { oneOf, singleValue, page, paging, replyInstant, text, uuid } from "../schema/fields.ts";
import { requestExamples, resourceSchemas } from "../schema/resource.ts";
import { traceMetricList } from "../runs/fields.ts";
import { judgeCascadeReply } from "../runs/judge-cascade.ts";
import { creationQuery, runEstimate } from "../runs/estimate.ts";
import { maxCostText, runDescriptions } from "../runs/settings.ts";
import { route } from "../route.ts";
import { evalRun } from "../runs/run.ts";

/** Path parameter of a monitor. */
export const monitorParams = v.object({ monitor_id: uuid });

/** Schemas of the settings of a monitor. */
export const monitorResource = resourceSchemas(monitorFields, {
  ...runDescriptions,
  name: "",
  metrics: v.pipe(
    traceMetricList,
    v.description(
      "Names of the metrics to evaluate, from the list of metrics of the target type; duplicates are removed.",
    ),
  ),
  filters: "TraceFilters or SessionFilters, depending on `target_type`; an empty object matches everything.",
  cadence: v.pipe(
    text(255),
    v.description(
      "Schedule in UTC: `every_6h`, `daily` or `weekly`, counted from creation, resumption or the last change of the cadence, or " +
        "`cron:` followed by minute, hour, day of month, month and day of week (0 and 7 are Sunday) as numbers, names, ranges, steps " +
        "or lists. If both day fields are restricted, either one may match.",
    ),
    v.examples(["daily", "cron:0 9 * * mon-fri"]),
  ),
  only_if_changed: "True to skip a firing if no matching data has arrived or changed since the previous run.",
  scope: "`all` evaluates all matching targets, `changed` only those that arrived or changed since the previous run.",
  alert_if_stopped:
    "True for an alert while runs have targets and score none of them, or cannot go on: see `/evaluations/alerts`.",
});

const monitorInput = v.pipe(
  // In the order of the documentation.
  closedObject(
    Object.assign({ name: monitorResource.input.name, target_type: oneOf(targetTypes) }, monitorResource.input),
  ),
  v.title("MonitorInput"),
  requestExamples([
    {
      name: "nightly",
      target_type: "TRACE",
      metrics: ["task_completion"],
      filters: { tags: ["checkout"] },
      cadence: "daily",
      sampling_rate: 0.2,
      only_if_changed: true,
      scope: "all",
      alert_if_stopped: true,
    },
  ]),
);

const monitorUpdate = v.pipe(
  closedObject(monitorResource.update),
  v.title("MonitorUpdate"),
  v.description(
    "Changes to a monitor; absent fields keep their values. Null resets `filters` and `signal_weights`, and clears `model`, " +
      "`judge`, `max_cost_usd` and `tier`.",
  ),
  requestExamples([{ cadence: "cron:0 9 * * mon-fri", model: null }]),
);

export type MonitorUpdate = v.InferOutput<typeof monitorUpdate>;

const { metrics: metric_names, signal_weights: _signalWeights, alert_if_stopped, ...settings } = monitorResource.reply;
const { name, filters, sampling_rate, model, judge, tier } = settings;

const monitor = v.pipe(
  v.object({
    id: uuid,
    project_id: uuid,
    // In the order of the documentation.
    ...Object.assign(
      { name, target_type: oneOf(targetTypes), metric_names, filters, sampling_rate, model, judge },
      settings,
    ),
    filters: v.pipe(filters, v.description("Filters as sent, including the form of dates.")),
    judge: judgeCascadeReply,
    tier: v.pipe(tier, v.description("Service tier as sent; null for the default of the service.")),
    alert_if_stopped,
    status: oneOf(monitorStatuses),
    paused_reason: v.pipe(
      v.nullable(v.string()),
      v.description("Reason why the service paused the monitor; null while it is ACTIVE, and if a client paused it."),
    ),
    last_run_at: v.nullable(replyInstant),
    last_run_id: v.nullable(uuid),
    next_run_at: v.nullable(replyInstant),
    created_at: replyInstant,
    updated_at: replyInstant,
  }),
  v.title("MonitorResponse"),
  v.description(
    "A saved evaluation that creates runs on a schedule. `next_run_at` is null while the monitor is PAUSED. A monitor whose metrics " +
      "are deleted is paused with a reason.",
  ),
  v.examples([
    {
      id: "3a9c1f0e-52d7-4b8e-9f61-7d2c5e8b4a10",
      project_id: "5e0c7e52-3f4b-4a53-9d0e-0d6a4d1c7b11",
      name: "nightly",
      target_type: "TRACE",
      metric_names: ["task_completion"],
      filters: { tags: ["checkout"] },
      sampling_rate: 0.2,
      model: null,
      judge: null,
      cadence: "daily",
      only_if_changed: true,
      scope: "all",
      max_cost_usd: null,
      tier: null,
      alert_if_stopped: true,
      status: "ACTIVE",
      paused_reason: null,
      last_run_at: null,
      last_run_id: null,
      next_run_at: "2026-11-22T09:01:00.000000+00:00",
      created_at: "2026-11-21T09:00:04.000000+00:00",
      updated_at: "2026-11-21T09:00:04.000000+00:00",
    },
  ]),
);

export type MonitorReply = v.InferOutput<typeof monitor>;

/** DynamoDB actions of routes that also look up custom metrics. */
const metricLookupGrants = { monitors: ["GetItem", "BatchGetItem", "PutItem", "Query"] } as const;

export const createMonitor = route({
  id: "createMonitor",
  method: "POST",
  idempotency: "derived-id",
  path: "/evaluations/monitors",
  handler: "api/monitors/create-monitor",
  summary: "Create a monitor",
  description:
    "Saves an evaluation that runs on a schedule. A project can have 100 monitors unless the operator has set another limit; beyond that the reply is 403.",
  access: "project",
  permission: "write",
  body: monitorInput,
  success: 201,
  reply: monitor,
  grants: { monitors: ["GetItem", "BatchGetItem", "PutItem", "UpdateItem", "Query"], aggregates: ["Query"] },
  warns: true,
  readsJudgeServers: true,
  managesSchedules: true,
});

export const listMonitors = route({
  id: "listMonitors",
  method: "GET",
  path: "/evaluations/monitors",
  handler: "api/monitors/list-monitors",
  summary: "List monitors",
  description: "Returns the monitors of the project, newest first.",
  access: "project",
  permission: "read",
  query: v.object({ status: v.optional(singleValue(oneOf(monitorStatuses))), ...paging }),
  success: 200,
  reply: page(monitor),
  // Those of alerts and firings too, whose role it shares: an account has room for 1,000 roles.
  grants: { monitors: ["GetItem", "Query"], aggregates: ["Query"] },
});

export const getMonitor = route({
  id: "getMonitor",
  method: "GET",
  path: "/evaluations/monitors/{monitor_id}",
  handler: "api/monitors/get-monitor",
  summary: "Get a monitor",
  access: "project",
  permission: "read",
  params: monitorParams,
  success: 200,
  reply: monitor,
  grants: { monitors: ["GetItem"] },
});

export const updateMonitor = route({
  id: "updateMonitor",
  method: "PATCH",
  path: "/evaluations/monitors/{monitor_id}",
  handler: "api/monitors/update-monitor",
  summary: "Update a monitor",
  description:
    "A changed cadence is counted from now. After a change of filters or metrics the next firing is not skipped as unchanged.",
  access: "project",
  permission: "write",
  params: monitorParams,
  body: monitorUpdate,
  success: 200,
  reply: monitor,
  grants: { monitors: [...metricLookupGrants.monitors, "DeleteItem"], runs: ["PutItem"], aggregates: ["Query"] },
  warns: true,
  readsJudgeServers: true,
  managesSchedules: true,
});

export const deleteMonitor = route({
  id: "deleteMonitor",
  method: "DELETE",
  path: "/evaluations/monitors/{monitor_id}",
  handler: "api/monitors/delete-monitor",
  summary: "Delete a monitor",
  description: "Deletes the monitor and keeps its runs.",
  auditsDeletions: true,
  access: "project",
  permission: "write",
  params: monitorParams,
  success: 204,
  reply: v.void(),
  grants: { monitors: ["GetItem", "PutItem", "DeleteItem", "UpdateItem"], runs: ["PutItem"] },
  managesSchedules: true,
});

export const pauseMonitor = route({
  id: "pauseMonitor",
  method: "POST",
  idempotency: "replay",
  path: "/evaluations/monitors/{monitor_id}/pause",
  handler: "api/monitors/pause-monitor",
  summary: "Pause a monitor",
  description: "Stops the monitor from firing until it is resumed.",
  access: "project",
  permission: "write",
  params: monitorParams,
  success: 200,
  reply: monitor,
  // Those of resumeMonitor, so that both share a role.
  grants: metricLookupGrants,
  managesSchedules: true,
});

export const resumeMonitor = route({
  ...pauseMonitor,
  id: "resumeMonitor",
  path: "/evaluations/monitors/{monitor_id}/resume",
  handler: "api/monitors/resume-monitor",
  summary: "Resume a monitor",
  description:
    "Lets a paused monitor fire again, with its cadence counted from now. A monitor whose metrics do not exist is not resumed.",
});

export const triggerMonitor = route({
  id: "triggerMonitor",
  method: "POST",
  idempotency: "derived-id",
  path: "/evaluations/monitors/{monitor_id}/trigger",
  handler: "api/monitors/trigger-monitor",
  summary: "Trigger a monitor",
  description:
    "Creates a run now, regardless of the monitor's status and of changes in the data; the schedule does not change. A dry run estimates " +
    "exactly that run: the same filters, scope, sampling rate and judges.",
  access: "project",
  permission: "write",
  params: monitorParams,
  query: v.object({
    ...creationQuery.entries,
    max_cost_usd: v.optional(
      singleValue(
        v.pipe(
          maxCostText,
          v.description("Cost ceiling of this run in US dollars, in place of the monitor's `max_cost_usd`."),
        ),
      ),
    ),
  }),
  refusesBody: true,
  success: 202,
  reply: evalRun,
  dryRun: runEstimate,
  limitPerMinute: 10,
  grants: {
    ...metricLookupGrants,
    rows: ["GetItem", "Query"],
    /** Reads trace documents for the estimate of prompt tokens, and for the filter `q`. */
    bodies: ["BatchGetItem", "Query"],
    aggregates: ["Query", "BatchGetItem"],
    /** Reads the usage of recent judgements for estimates, and scores that filters name. */
    scores: ["Query", "BatchGetItem"],
    runs: ["GetItem", "PutItem", "BatchWriteItem", "UpdateItem"],
  },
  memory: 1024,
});

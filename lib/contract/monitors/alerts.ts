import * as v from "valibot";
import { alertVerdicts } from "../../domain/alerts/evaluate.ts";
import { alertFields, alertSignals, alertWindows } from "../../domain/alerts/fields.ts";
import { maxAlerts } from "../../domain/alerts/rule.ts";
import { alertStates, alertTransitions } from "../../domain/alerts/state.ts";
import { stoppedSignal } from "../../domain/alerts/stopped.ts";
import { route } from "../route.ts";
import { closedObject } from "../schema/closed-object.ts";
import { integer, oneOf, page, paging, replyInstant, singleValue, uuid } from "../schema/fields.ts";
import { requestExamples, resourceSchemas } from "../schema/resource.ts";

/** Schemas of the settings of a rule, for a new rule and for a preview of one, and for changes and replies. */
export const alertResource = resourceSchemas(alertFields, {
  name: "",
  filters: "TraceFilters without `score` and `no_score`; an empty object matches every trace.",
  signal:
    "What is measured: the mean of a score, the share of scores below `below`, the share of CATEGORICAL scores whose value is `category`, or another one, the share of traces with status ERROR, a percentile of latency in " +
    "milliseconds (the least latency that this share of the traces does not exceed, which their number decides; analytics interpolate between two), or the total cost in US dollars, tokens or traces of a window.",
  window: "Length of the windows, which follow each other from the rule's creation on.",
  metric_name: "Name of the scores that a signal of scores watches; null for the other signals.",
  below: "Value below which `score_below` counts a score.",
  category: "Value that `score_is` and `score_is_not` count; null for the other signals.",
  compare_with: "A fixed threshold, the window before, or the same hours of last week.",
  threshold:
    "Worst value that is no alert. Compared with another window it is the largest change that is none: a difference of means and " +
    "rates, a share of the other value for latencies and totals. Worse is less for means of scores and for volume, more for the others.",
  minimum_count: "Traces or scores below which a window has too little data; by default 30, of `volume` 1.",
  significance:
    "True to alert only if the change is significant at 99.5 %, so that noise raises no alerts; by default false for the totals cost, tokens and " +
    "volume, which are compared as they are, true for all others.",
  no_data: "What a window with too little data means: no alert, an alert, or the state before.",
  severity: "",
  repeat_every: "Pause between reminders of an alert that lasts; null for none.",
  announce_scores:
    "With the signal `score_below`: true to send an event `score.below_threshold` for each score below `below`, beside the events of the rule.",
  enabled: "False pauses the rule: it counts nothing, and an alert that is raised is cleared.",
});

const alertInput = v.pipe(
  closedObject(alertResource.input),
  v.title("AlertInput"),
  requestExamples([
    {
      name: "task completion dropped",
      filters: { environment: "production" },
      signal: "score_mean",
      metric_name: "task_completion",
      window: "1h",
      compare_with: "last_week",
      threshold: 0.05,
      below: 0.5,
      minimum_count: 30,
      significance: true,
      no_data: "ok",
      severity: "warning",
      announce_scores: false,
      enabled: true,
    },
  ]),
);

export type AlertInput = v.InferOutput<typeof alertInput>;

const alertUpdate = v.pipe(
  closedObject(alertResource.update),
  v.title("AlertUpdate"),
  v.description(
    "Changes to an alert rule; absent fields keep their values. Null clears `metric_name`, `category` and `repeat_every`.",
  ),
  requestExamples([{ threshold: 0.1, severity: "critical" }]),
);

export type AlertUpdate = v.InferOutput<typeof alertUpdate>;

const number = v.nullable(v.number());

/** The decision on a window and its numbers, in replies. */
export const evaluation = v.object({
  verdict: v.pipe(
    oneOf(alertVerdicts),
    v.description(
      "`cannot_tell`: nothing to compare with, or too little data to see a worsening of the size that the rule is about: as large as its threshold, " +
        "for a comparison with another window, or any at all, for a fixed threshold.",
    ),
  ),
  value: v.pipe(number, v.description("Value of the signal in the window; null without data.")),
  reference: v.pipe(number, v.description("The threshold, or the value of the window that it was compared with.")),
  count: v.pipe(integer, v.description("Traces or scores in the window.")),
  reference_count: v.nullable(integer),
  interval: v.pipe(
    v.nullable(v.object({ lower: number, upper: number })),
    v.description("Interval of the decisive difference at the level of the rule; null where none decided."),
  ),
  detectable: v.pipe(
    number,
    v.description(
      "Smallest worsening that the rule sees in 80 % of windows with this much data, beyond the threshold or from the other window; null for " +
        "rules without significance, latencies and totals, and where it was not computed.",
    ),
  ),
  reason: v.pipe(
    v.nullable(v.string()),
    v.description(
      "Why judgements failed, if the evaluation of a monitor has stopped, why an alert was cleared by a pause, or why the window before a new rule " +
        "was not evaluated; null otherwise.",
    ),
  ),
});

const { name, filters, signal, metric_name, below } = alertResource.reply;

const alert = v.pipe(
  v.object({
    id: uuid,
    project_id: uuid,
    monitor_id: v.pipe(
      v.nullable(uuid),
      v.description("Monitor whose built-in alert this is, with the same id; null for a rule."),
    ),
    // In the order of the documentation.
    ...Object.assign({ name, filters, signal, metric_name, below }, alertResource.reply),
    signal: v.pipe(
      oneOf([...alertSignals, stoppedSignal]),
      v.description(
        `\`${stoppedSignal}\` is the share of scored judgements in each run of a monitor, of which zero is an alert.`,
      ),
    ),
    window: v.pipe(
      v.nullable(oneOf(alertWindows)),
      v.description("Null for a monitor, of which each run is a window."),
    ),
    state: v.pipe(oneOf(alertStates), v.description("NO_DATA until the first window has ended.")),
    state_since: v.pipe(
      v.nullable(replyInstant),
      v.description("End of the window that brought the state; null before the first, or if not known."),
    ),
    window_end: v.pipe(v.nullable(replyInstant), v.description("End of the last window that was evaluated.")),
    last_evaluation: v.pipe(v.nullable(evaluation), v.description("The numbers that decided on that window.")),
    warnings: v.pipe(
      v.array(v.string()),
      v.description(
        "Advice about the rule, in sentences; a list leaves out what depends on the scores of the project.",
      ),
    ),
    created_at: replyInstant,
  }),
  v.title("Alert"),
  v.description("A rule that watches the traces or scores of a project in windows, and its state."),
);

export type AlertReply = v.InferOutput<typeof alert>;

/** A change of a rule's state, in replies. */
export const alertChange = v.pipe(
  v.object({
    transition: oneOf(alertTransitions),
    window_end: v.pipe(replyInstant, v.description("End of the window that decided.")),
    ...evaluation.entries,
  }),
  v.title("AlertChange"),
  v.description("A change of a rule's state with the numbers that decided."),
);

export type AlertChangeReply = v.InferOutput<typeof alertChange>;

const alertParams = v.object({ alert_id: uuid });

/** When an alert can be neither changed nor deleted. */
const isBuiltIn = "It is the built-in alert of a monitor.";

export const createAlert = route({
  id: "createAlert",
  method: "POST",
  idempotency: "derived-id",
  path: "/evaluations/alerts",
  handler: "api/monitors/write-alerts",
  summary: "Create an alert rule",
  description:
    "Watches new traces or scores from the next full minute but one on, and evaluates the last full window before that within four minutes, unless it has more " +
    `than 100,000 of them; a project can have ${maxAlerts} rules. A trace counts at its start, a score at ` +
    "its creation. Each window is evaluated within two minutes of its end; an alert is cleared by two windows in a row without one. " +
    "A rule about scores with trace filters reads the row of each new score of its name.",
  access: "project",
  permission: "write",
  body: alertInput,
  success: 201,
  reply: alert,
  grants: {
    monitors: ["GetItem", "PutItem", "UpdateItem", "DeleteItem", "Query"],
    runs: ["PutItem"],
    // Counters of the types of scores.
    aggregates: ["Query"],
  },
  warns: true,
});

export const listAlerts = route({
  id: "listAlerts",
  method: "GET",
  path: "/evaluations/alerts",
  handler: "api/monitors/read-alerts",
  summary: "List alert rules",
  description:
    "Returns the rules of the project with their states, by name, and then the built-in alert of each monitor, which is raised while its runs " +
    "have targets and score none of them, wait for their judge or for a monthly ceiling, or cannot start, and turned off by the monitor's `alert_if_stopped`.",
  access: "project",
  permission: "read",
  query: v.object({
    state: v.optional(singleValue(v.pipe(oneOf(alertStates), v.description("Only alerts in this state.")))),
    ...paging,
  }),
  success: 200,
  reply: page(alert),
  grants: { monitors: ["GetItem", "Query"], aggregates: ["Query"] },
});

export const getAlert = route({
  id: "getAlert",
  answeredBy: listAlerts.id,
  method: "GET",
  path: "/evaluations/alerts/{alert_id}",
  handler: listAlerts.handler,
  summary: "Get an alert rule",
  access: "project",
  permission: "read",
  params: alertParams,
  success: 200,
  reply: alert,
  grants: listAlerts.grants,
});

export const listAlertHistory = route({
  id: "listAlertHistory",
  answeredBy: listAlerts.id,
  method: "GET",
  path: "/evaluations/alerts/{alert_id}/history",
  handler: listAlerts.handler,
  summary: "List changes of an alert",
  description: "Returns the changes of the rule's state in the last 90 days, newest first, at most 1,000.",
  access: "project",
  permission: "read",
  params: alertParams,
  query: v.object(paging),
  success: 200,
  reply: page(alertChange),
  grants: listAlerts.grants,
});

export const updateAlert = route({
  id: "updateAlert",
  answeredBy: createAlert.id,
  method: "PATCH",
  path: "/evaluations/alerts/{alert_id}",
  handler: createAlert.handler,
  summary: "Update an alert rule",
  description:
    "The next evaluation uses the new settings; an alert that they no longer raise is cleared by two windows in a row without one. A change of signal, " +
    "filters, metric or window, of `below` or `category`, of the threshold or `compare_with` of a latency, and a pause begin new windows: what was counted before is " +
    "not compared with what is counted from then on.",
  access: "project",
  permission: "write",
  params: alertParams,
  body: alertUpdate,
  success: 200,
  conflict: isBuiltIn,
  reply: alert,
  grants: createAlert.grants,
  warns: true,
});

export const deleteAlert = route({
  id: "deleteAlert",
  answeredBy: createAlert.id,
  method: "DELETE",
  path: "/evaluations/alerts/{alert_id}",
  handler: createAlert.handler,
  summary: "Delete an alert rule",
  description: "Deletes the rule, its state and its history, and clears an alert that is raised.",
  access: "project",
  permission: "write",
  params: alertParams,
  success: 204,
  conflict: isBuiltIn,
  reply: v.void(),
  grants: createAlert.grants,
});

export const testAlert = route({
  id: "testAlert",
  answeredBy: createAlert.id,
  method: "POST",
  idempotency: "replay",
  path: "/evaluations/alerts/{alert_id}/test",
  handler: createAlert.handler,
  summary: "Send a test alert",
  description:
    "Publishes an event `alert.raised` with `is_test`, which reaches who is told of the alert. Its state and history stay as they are.",
  access: "project",
  permission: "write",
  params: alertParams,
  refusesBody: true,
  success: 202,
  conflict: isBuiltIn,
  reply: v.pipe(
    v.object({ event_id: v.pipe(uuid, v.description("Id of the event that is published.")) }),
    v.title("AlertTest"),
    v.description("A test alert that is on its way."),
    v.examples([{ event_id: "00000000-0000-4000-8000-000000000001" }]),
  ),
  limitPerMinute: 10,
  grants: createAlert.grants,
});

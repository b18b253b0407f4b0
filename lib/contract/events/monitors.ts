import * as v from "valibot";
import { alertFields, alertSignals, alertWindows } from "../../domain/alerts/fields.ts";
import { stoppedSignal } from "../../domain/alerts/stopped.ts";
import { targetTypes } from "../../domain/runs/run.ts";
import { integer, oneOf, uuid } from "../schema/fields.ts";
import { described, eventInstant, eventKind, exampleId, exampleTime } from "./event.ts";

const firing = { monitor_id: uuid, monitor_name: v.string(), scheduled_at: eventInstant };

const firingExample = {
  page: "monitors",
  monitor_id: exampleId(5),
  monitor_name: "nightly",
  scheduled_at: exampleTime,
};

const reason = described(v.string(), "Reason why there is no run, in a sentence.");

export const monitorFired = eventKind(
  "MonitorFiredEvent",
  "A monitor started the run of a scheduled time.",
  {
    ...firing,
    run_id: uuid,
    matching_targets: described(integer, "Traces or sessions to judge, before sampling."),
  },
  { ...firingExample, run_id: exampleId(4), matching_targets: 100 },
);

export const monitorSkipped = eventKind(
  "MonitorSkippedEvent",
  "A monitor started no run at a scheduled time, because nothing had changed.",
  { ...firing, reason },
  { ...firingExample, reason: "Nothing that matches has arrived or changed since the previous run." },
);

export const monitorFailed = eventKind(
  "MonitorFailedEvent",
  "A monitor could not start the run of a scheduled time, or was paused before it because a metric was deleted.",
  { ...firing, reason },
  { ...firingExample, reason: "Given up: 3 attempts at this firing failed or did not end in time." },
);

const number = v.nullable(v.number());

const alert = {
  alert_id: uuid,
  alert_name: v.string(),
  severity: oneOf(alertFields.severity.values),
  signal: described(
    oneOf([...alertSignals, stoppedSignal]),
    "`evaluation` for the built-in alert of a monitor: its evaluation has stopped.",
  ),
  metric_name: v.nullable(v.string()),
  window: described(v.nullable(oneOf(alertWindows)), "Null for a built-in alert: the end of each run decides."),
  window_end: described(eventInstant, "End of the window, or of the run, that decided."),
  value: described(number, "Value of the signal in the window; null without data."),
  reference: described(number, "The threshold, or the value of the window that it was compared with."),
  count: described(integer, "Traces or scores in the window."),
  reference_count: v.nullable(integer),
  interval: described(
    v.nullable(v.object({ lower: number, upper: number })),
    "Interval of the decisive difference at the level of the rule; null where none decided.",
  ),
  reason: described(
    v.nullable(v.string()),
    "Why a run scored nothing, or why an alert was cleared by a pause or a deletion, in a sentence; null otherwise.",
  ),
};

const alertExample = {
  page: "alerts/00000000-0000-4000-8000-000000000006",
  alert_id: exampleId(6),
  alert_name: "task completion dropped",
  severity: "warning",
  signal: "score_mean",
  metric_name: "task_completion",
  window: "1h",
  window_end: exampleTime,
  value: 0.61,
  reference: 0.78,
  count: 300,
  reference_count: 312,
  interval: { lower: -0.24, upper: -0.1 },
  reason: null,
};

export const alertRaised = eventKind(
  "AlertRaisedEvent",
  "An alert rule changed to ALERT, or reminds of an alert that lasts.",
  {
    ...alert,
    is_reminder: v.boolean(),
    // Absent from events of an earlier version.
    late: described(
      v.optional(v.boolean(), false),
      "True if data raise the alert that arrived after the window was evaluated, or more than two minutes after its end.",
    ),
    is_test: described(
      v.optional(v.boolean(), false),
      "True for a test that somebody sends, with `Test: ` before the name: the alert's state is as it was, and nothing clears it.",
    ),
  },
  { ...alertExample, is_reminder: false, late: false, is_test: false },
);

export const scoreBelowThreshold = eventKind(
  "ScoreBelowThresholdEvent",
  "A score was made, or changed, below the value of an alert rule that announces scores.",
  {
    alert_id: uuid,
    alert_name: v.string(),
    severity: oneOf(alertFields.severity.values),
    metric_name: v.string(),
    below: described(v.number(), "The rule's value."),
    value: v.number(),
    score_id: uuid,
    target_type: oneOf(targetTypes),
    target_id: described(v.string(), "Id of the trace or session."),
    run_id: described(v.nullable(uuid), "Run that made the score; null for a person's or a program's."),
  },
  {
    page: "traces/00000000-0000-4000-8000-000000000007",
    alert_id: exampleId(6),
    alert_name: "bad answers",
    severity: "warning",
    metric_name: "task_completion",
    below: 0.5,
    value: 0.25,
    score_id: exampleId(8),
    target_type: "TRACE",
    target_id: exampleId(7),
    run_id: exampleId(4),
  },
);

export const alertCleared = eventKind(
  "AlertClearedEvent",
  "An alert ended: two windows in a row were without one, or a run of the monitor scored again.",
  alert,
  { ...alertExample, value: 0.77, interval: null },
);

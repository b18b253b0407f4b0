import { derivedUuid } from "../domain/access/identity.ts";
import { pendingEvent } from "../contract/events/pending-event.ts";
import type { AlertSettings } from "../domain/alerts/fields.ts";
import { stoppedName, stoppedSeverity, stoppedSignal } from "../domain/alerts/stopped.ts";
import type { PendingEvent } from "../domain/event.ts";
import { instantAt } from "../domain/instant.ts";
import type { AlertRule } from "../domain/alerts/rule.ts";
import type { Monitor } from "../domain/monitors/monitor.ts";
import type { Transition } from "../store/alerts/states.ts";

/** Interval end in JSON, which has no infinity. */
const finite = (value: number | null): number | null => (value !== null && Number.isFinite(value) ? value : null);

/** A rule, or the built-in alert of a monitor, as its events show it. */
interface EventSource {
  readonly id: string;
  readonly projectId: string;
  readonly settings: Pick<AlertSettings, "name" | "severity" | "metric_name"> & {
    readonly signal: AlertSettings["signal"] | typeof stoppedSignal;
    /** Null for a built-in alert: each run decides. */
    readonly window: AlertSettings["window"] | null;
  };
}

/** Builds the event of a change of an alert's state. @param now epoch milliseconds. */
export const alertEvent = (
  { id, projectId, settings }: EventSource,
  { transition, end, evaluation, late = false }: Transition,
  now: number,
): PendingEvent => {
  const { value, reference, count, referenceCount, interval, reason = null } = evaluation;
  const event = { decision: [id, String(end), transition], projectId, time: instantAt(now), page: `alerts/${id}` };
  const fields = {
    alert_id: id,
    alert_name: settings.name,
    severity: settings.severity,
    signal: settings.signal,
    metric_name: settings.metric_name,
    window: settings.window,
    window_end: instantAt(end),
    value,
    reference,
    count,
    reference_count: referenceCount,
    interval: interval && { lower: finite(interval.lower), upper: finite(interval.upper) },
    reason,
  };
  return transition === "cleared"
    ? pendingEvent("alert.cleared", event, fields)
    : pendingEvent("alert.raised", event, { ...fields, is_reminder: transition === "reminded", late });
};

/** Builds the event of a change of the state of a monitor's built-in alert. @param now epoch milliseconds. */
export const stoppedEvent = ({ id, projectId, settings }: Monitor, change: Transition, now: number): PendingEvent =>
  alertEvent(
    {
      id,
      projectId,
      settings: {
        name: stoppedName(settings.name),
        severity: stoppedSeverity,
        metric_name: null,
        signal: stoppedSignal,
        window: null,
      },
    },
    change,
    now,
  );

/** Builds the event of a test of a rule: that of an alert that is raised, without values. @param request id of the request for the test. */
export const alertTestEvent = (rule: AlertRule, request: string, now: number): PendingEvent => {
  const reason = "A test: somebody asked for this event. Nothing is wrong.";
  const evaluation = {
    verdict: "alert",
    value: null,
    reference: null,
    count: 0,
    referenceCount: null,
    interval: null,
    reason,
  } as const;
  const event = alertEvent(rule, { transition: "raised", end: now, evaluation }, now);
  const fields = { ...event.fields, alert_name: `Test: ${rule.settings.name}`, is_test: true };
  return { ...event, id: derivedUuid("event", "alert.test", request), fields };
};

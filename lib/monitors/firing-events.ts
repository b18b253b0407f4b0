import { pendingEvent } from "../contract/events/pending-event.ts";
import type { PendingEvent } from "../domain/event.ts";
import { epochOf, instantAt } from "../domain/instant.ts";
import type { Firing } from "../domain/monitors/firing.ts";
import type { Monitor } from "../domain/monitors/monitor.ts";

const partsOf = (
  { id, projectId, settings }: Monitor,
  { scheduledAt, decidedAt }: Pick<Firing, "scheduledAt" | "decidedAt">,
) => ({
  // A scheduled time has one outcome.
  event: { decision: [id, String(scheduledAt)], projectId, time: decidedAt, page: "monitors" },
  fields: { monitor_id: id, monitor_name: settings.name, scheduled_at: instantAt(scheduledAt) },
});

/** Builds the event of a firing that started a run, before sampling. @param matching number of targets to judge. */
export const monitorFiredEvent = (monitor: Monitor, firing: Firing, run: string, matching: number): PendingEvent => {
  const { event, fields } = partsOf(monitor, firing);
  return pendingEvent("monitor.fired", event, { ...fields, run_id: run, matching_targets: matching });
};

/** Builds the event of a firing without a run. */
export const monitorNotFiredEvent = (monitor: Monitor, firing: Firing): PendingEvent => {
  const { event, fields } = partsOf(monitor, firing);
  const kind = firing.outcome === "FAILED" ? "monitor.failed" : "monitor.skipped";
  return pendingEvent(kind, event, { ...fields, reason: firing.reason ?? "" });
};

/** Builds the event of a monitor that is paused, so that its next firing does not take place. */
export const monitorPausedEvent = (
  before: Monitor,
  { generation, updatedAt, pausedReason = "" }: Monitor,
): PendingEvent => {
  const firing = { scheduledAt: before.nextRunAt ?? epochOf(updatedAt), decidedAt: updatedAt };
  const { event, fields } = partsOf(before, firing);
  // A resumed monitor can be paused again before the same scheduled time.
  const decision = [...event.decision, String(generation)];
  return pendingEvent("monitor.failed", { ...event, decision }, { ...fields, reason: pausedReason });
};

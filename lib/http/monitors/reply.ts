import type { MonitorReply } from "../../contract/monitors/monitors.ts";
import type { FiringReply } from "../../contract/monitors/firings.ts";
import type { Firing } from "../../domain/monitors/firing.ts";
import { valuesOfFields } from "../../domain/fields.ts";
import { monitorFields } from "../../domain/monitors/fields.ts";
import { instantAt } from "../../domain/instant.ts";
import type { Monitor } from "../../domain/monitors/monitor.ts";
import { notFound, type Refusal } from "../../domain/refusal.ts";

export const monitorNotFound = (id: string): Refusal => notFound(`Eval monitor ${id} not found.`);

/** Returns the API representation of a monitor, without its signal weights. */
export const monitorReply = ({ settings, ...monitor }: Monitor): MonitorReply => {
  const { metrics, signal_weights: _weights, ...reply } = valuesOfFields(monitorFields, settings);
  return {
    id: monitor.id,
    project_id: monitor.projectId,
    ...reply,
    target_type: monitor.targetType,
    metric_names: metrics,
    status: monitor.status,
    paused_reason: monitor.pausedReason ?? null,
    last_run_at: monitor.lastRunAt,
    last_run_id: monitor.lastRunId,
    next_run_at: monitor.nextRunAt === null ? null : instantAt(monitor.nextRunAt),
    created_at: monitor.createdAt,
    updated_at: monitor.updatedAt,
  };
};

/** Returns the API representation of a firing, a scheduled execution of a monitor. */
export const firingReply = ({ scheduledAt, decidedAt, outcome, runId, reason }: Firing): FiringReply => ({
  scheduled_at: instantAt(scheduledAt),
  fired_at: decidedAt,
  outcome,
  run_id: runId,
  reason,
});

import type { MonitorReply } from "../../contract/monitors/monitors.ts";
import type { FiringReply } from "../../contract/monitors/firings.ts";
import type { Firing } from "../../domain/monitors/firing.ts";
import { cascadeReply } from "../runs/judge-cascade.ts";
import { instantAt } from "../../domain/instant.ts";
import type { Monitor } from "../../domain/monitors/monitor.ts";
import { notFound, type Refusal } from "../../domain/refusal.ts";

export const monitorNotFound = (id: string): Refusal => notFound(`Eval monitor ${id} not found.`);

/** Returns the API representation of a monitor, without its signal weights. */
export const monitorReply = ({ settings, ...monitor }: Monitor): MonitorReply => ({
  id: monitor.id,
  project_id: monitor.projectId,
  name: settings.name,
  target_type: monitor.targetType,
  metric_names: [...settings.metrics],
  filters: { ...settings.filters },
  sampling_rate: settings.samplingRate,
  model: settings.model,
  judge: cascadeReply(settings.judge),
  cadence: settings.cadence,
  only_if_changed: settings.onlyIfChanged,
  scope: settings.scope,
  max_cost_usd: settings.maxCostUsd,
  tier: settings.tier,
  alert_if_stopped: settings.alertIfStopped ?? true,
  status: monitor.status,
  paused_reason: monitor.pausedReason ?? null,
  last_run_at: monitor.lastRunAt,
  last_run_id: monitor.lastRunId,
  next_run_at: monitor.nextRunAt === null ? null : instantAt(monitor.nextRunAt),
  created_at: monitor.createdAt,
  updated_at: monitor.updatedAt,
});

/** Returns the API representation of a firing, a scheduled execution of a monitor. */
export const firingReply = ({ scheduledAt, decidedAt, outcome, runId, reason }: Firing): FiringReply => ({
  scheduled_at: instantAt(scheduledAt),
  fired_at: decidedAt,
  outcome,
  run_id: runId,
  reason,
});

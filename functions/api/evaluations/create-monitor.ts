import { createMonitor } from "../../../lib/contract/monitors.ts";
import { newMonitor, type MonitorSettings } from "../../../lib/domain/monitor.ts";
import { endpoint } from "../../../lib/http/endpoint.ts";
import { environmentGate } from "../../../lib/http/environment-gate.ts";
import { monitorReply } from "../../../lib/http/monitor-reply.ts";
import { settingsOf } from "../../../lib/http/monitor-settings.ts";
import { environmentSchedules } from "../../../lib/monitoring/environment-schedules.ts";
import { synchroniseSoon } from "../../../lib/monitoring/synchronise.ts";
import { connect } from "../../../lib/store/database.ts";
import { monitorStore } from "../../../lib/store/monitors.ts";

const database = connect();
const monitors = monitorStore(database);
const schedules = environmentSchedules();

export const handler = endpoint(createMonitor, environmentGate(database), async ({ body, mint, project }) => {
  const settings: MonitorSettings = {
    name: body.name,
    metrics: body.metrics,
    filters: body.filters,
    samplingRate: body.sampling_rate,
    model: body.model ?? null,
    cadence: body.cadence,
    onlyIfChanged: body.only_if_changed,
    scope: body.scope,
    signalWeights: null,
    maxCostUsd: body.max_cost_usd ?? null,
    ...settingsOf(body.target_type, body),
  };
  const ids = { id: mint("monitor"), projectId: project.id, targetType: body.target_type };
  const stored = await monitors.create(newMonitor(ids, settings, Date.now()));
  await synchroniseSoon(stored, monitors, schedules);
  return monitorReply(stored.monitor);
});

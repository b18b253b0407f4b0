import { createMonitor } from "../../../lib/contract/monitors/monitors.ts";
import { epochOf } from "../../../lib/domain/instant.ts";
import { newMonitor, type MonitorSettings } from "../../../lib/domain/monitors/monitor.ts";
import { metricChoice } from "../../../lib/evaluation/start/chosen-metrics.ts";
import { endpoint } from "../../../lib/http/endpoint.ts";
import { requiredNumber, variables } from "../../../lib/wiring/environment.ts";
import { environmentCustomMetrics } from "../../../lib/wiring/custom-metrics.ts";
import { environmentGate } from "../../../lib/wiring/gates.ts";
import { monitorReply } from "../../../lib/http/monitors/reply.ts";
import { settingsOf } from "../../../lib/http/monitors/settings.ts";
import { environmentSchedules } from "../../../lib/wiring/schedules.ts";
import { synchroniseSoon } from "../../../lib/monitors/synchronise.ts";
import { connect } from "../../../lib/store/database.ts";
import { monitorStore } from "../../../lib/store/monitors/monitors.ts";

const database = connect();
const monitors = monitorStore(database);
const choose = metricChoice(environmentCustomMetrics(database));
const schedules = environmentSchedules();
const most = requiredNumber(variables.maxMonitors);

export const handler = endpoint(createMonitor, environmentGate(database), async ({ body, mint, project, repeat }) => {
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
    tier: body.tier ?? null,
    ...settingsOf(body.target_type, body, project.metadataKeys, await choose(project.id, body.metrics)),
  };
  const ids = { id: mint("monitor"), projectId: project.id, targetType: body.target_type };
  const stored = await monitors.create(newMonitor(ids, settings, Date.now()), most, repeat);
  await synchroniseSoon(stored, monitors, schedules);
  // As it was answered then, whatever somebody has made of it since.
  return monitorReply(newMonitor(ids, settings, epochOf(stored.monitor.createdAt)));
});

import { createMonitor } from "../../../lib/contract/monitors/monitors.ts";
import { mostMonitors, newMonitor, type MonitorSettings } from "../../../lib/domain/monitors/monitor.ts";
import { Refusal } from "../../../lib/domain/refusal.ts";
import { endpoint } from "../../../lib/http/endpoint.ts";
import { environmentGate } from "../../../lib/wiring/gates.ts";
import { monitorReply } from "../../../lib/http/monitors/reply.ts";
import { settingsOf } from "../../../lib/http/monitors/settings.ts";
import { environmentSchedules } from "../../../lib/wiring/schedules.ts";
import { synchroniseSoon } from "../../../lib/monitors/synchronise.ts";
import { connect } from "../../../lib/store/database.ts";
import { monitorStore } from "../../../lib/store/monitors/monitors.ts";

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
    tier: body.tier ?? null,
    ...settingsOf(body.target_type, body, project.metadataKeys),
  };
  const ids = { id: mint("monitor"), projectId: project.id, targetType: body.target_type };
  const isFull = (await monitors.count(project.id, mostMonitors)) >= mostMonitors;
  if (isFull && (await monitors.get(project.id, ids.id)) === null)
    throw new Refusal({
      kind: "forbidden",
      detail: `A project has at most ${mostMonitors} monitors. Delete one first.`,
    });
  const stored = await monitors.create(newMonitor(ids, settings, Date.now()));
  await synchroniseSoon(stored, monitors, schedules);
  return monitorReply(stored.monitor);
});

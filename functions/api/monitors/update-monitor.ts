import { updateMonitor } from "../../../lib/contract/monitors/monitors.ts";
import { withSettings } from "../../../lib/domain/monitors/monitor.ts";
import { metricChoice } from "../../../lib/evaluation/start/chosen-metrics.ts";
import { endpoint } from "../../../lib/http/endpoint.ts";
import { environmentCustomMetrics } from "../../../lib/wiring/custom-metrics.ts";
import { environmentGate } from "../../../lib/wiring/gates.ts";
import { monitorNotFound, monitorReply } from "../../../lib/http/monitors/reply.ts";
import { settingsOf } from "../../../lib/http/monitors/settings.ts";
import { environmentSchedules } from "../../../lib/wiring/schedules.ts";
import { synchroniseSoon } from "../../../lib/monitors/synchronise.ts";
import { connect } from "../../../lib/store/database.ts";
import { monitorStore } from "../../../lib/store/monitors/monitors.ts";

const database = connect();
const monitors = monitorStore(database);
const choose = metricChoice(environmentCustomMetrics(database));
const schedules = environmentSchedules();

export const handler = endpoint(updateMonitor, environmentGate(database), async ({ body, params, project }) => {
  const own = await choose(project.id, body.metrics);
  const stored = await monitors.change(project.id, params.monitor_id, (monitor) => {
    const given = settingsOf(monitor.targetType, body, project.metadataKeys, own);
    return Object.keys(given).length === 0 ? monitor : withSettings(monitor, given, Date.now());
  });
  if (stored === null) throw monitorNotFound(params.monitor_id);
  await synchroniseSoon(stored, monitors, schedules);
  return monitorReply(stored.monitor);
});

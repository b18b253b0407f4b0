import { updateMonitor } from "../../../lib/contract/monitors.ts";
import { withSettings } from "../../../lib/domain/monitor.ts";
import { endpoint } from "../../../lib/http/endpoint.ts";
import { environmentGate } from "../../../lib/http/environment-gate.ts";
import { monitorNotFound, monitorReply } from "../../../lib/http/monitor-reply.ts";
import { settingsOf } from "../../../lib/http/monitor-settings.ts";
import { environmentSchedules } from "../../../lib/monitoring/environment-schedules.ts";
import { synchroniseSoon } from "../../../lib/monitoring/synchronise.ts";
import { connect } from "../../../lib/store/database.ts";
import { monitorStore } from "../../../lib/store/monitors.ts";

const database = connect();
const monitors = monitorStore(database);
const schedules = environmentSchedules();

export const handler = endpoint(updateMonitor, environmentGate(database), async ({ body, params, project }) => {
  const stored = await monitors.change(project.id, params.monitor_id, (monitor) => {
    const given = settingsOf(monitor.targetType, body);
    return Object.keys(given).length === 0 ? monitor : withSettings(monitor, given, Date.now());
  });
  if (stored === null) throw monitorNotFound(params.monitor_id);
  await synchroniseSoon(stored, monitors, schedules);
  return monitorReply(stored.monitor);
});

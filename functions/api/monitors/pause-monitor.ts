import { pauseMonitor } from "../../../lib/contract/monitors/monitors.ts";
import { paused } from "../../../lib/domain/monitors/monitor.ts";
import { endpoint } from "../../../lib/http/endpoint.ts";
import { environmentGate } from "../../../lib/wiring/gates.ts";
import { monitorNotFound, monitorReply } from "../../../lib/http/monitors/reply.ts";
import { environmentSchedules } from "../../../lib/wiring/schedules.ts";
import { synchroniseSoon } from "../../../lib/monitors/synchronise.ts";
import { connect } from "../../../lib/store/database.ts";
import { monitorStore } from "../../../lib/store/monitors/monitors.ts";

const database = connect();
const monitors = monitorStore(database);
const schedules = environmentSchedules();

export const handler = endpoint(pauseMonitor, environmentGate(database), async ({ params, project }) => {
  const stored = await monitors.change(project.id, params.monitor_id, (monitor) => paused(monitor, Date.now()));
  if (stored === null) throw monitorNotFound(params.monitor_id);
  await synchroniseSoon(stored, monitors, schedules);
  return monitorReply(stored.monitor);
});

import { pauseMonitor } from "../../../lib/contract/monitors/monitors.ts";
import { pausedMonitor } from "../../../lib/domain/monitors/monitor.ts";
import { endpoint } from "../../../lib/http/endpoint.ts";
import { environmentGuard } from "../../../lib/wiring/access-guards.ts";
import { monitorNotFound, monitorReply } from "../../../lib/http/monitors/reply.ts";
import { environmentSchedules } from "../../../lib/wiring/schedules.ts";
import { synchroniseSoon } from "../../../lib/monitors/synchronise.ts";
import { connect } from "../../../lib/dynamo/database.ts";
import { monitorStore } from "../../../lib/store/monitors/monitors.ts";

const database = connect();
const monitors = monitorStore(database);
const schedules = environmentSchedules();

export const handler = endpoint(pauseMonitor, environmentGuard(database), async ({ params, project }) => {
  const storedMonitor = await monitors.change(project.id, params.monitor_id, (monitor) =>
    pausedMonitor(monitor, Date.now()),
  );
  if (storedMonitor === null) throw monitorNotFound(params.monitor_id);
  await synchroniseSoon(storedMonitor, monitors, schedules);
  return monitorReply(storedMonitor.monitor);
});

import { deleteMonitor } from "../../../lib/contract/monitors.ts";
import { endpoint } from "../../../lib/http/endpoint.ts";
import { environmentGate } from "../../../lib/http/environment-gate.ts";
import { monitorNotFound } from "../../../lib/http/monitor-reply.ts";
import { environmentSchedules } from "../../../lib/monitoring/environment-schedules.ts";
import { removeSoon } from "../../../lib/monitoring/synchronise.ts";
import { connect } from "../../../lib/store/database.ts";
import { monitorStore } from "../../../lib/store/monitors.ts";

const database = connect();
const monitors = monitorStore(database);
const schedules = environmentSchedules();

export const handler = endpoint(deleteMonitor, environmentGate(database), async ({ params, project }) => {
  if (!(await monitors.delete(project.id, params.monitor_id))) throw monitorNotFound(params.monitor_id);
  await removeSoon(project.id, params.monitor_id, schedules);
});

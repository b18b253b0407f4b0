import { resumeMonitor } from "../../../lib/contract/monitors/monitors.ts";
import { resumedMonitor } from "../../../lib/domain/monitors/monitor.ts";
import { resolveMetrics } from "../../../lib/evaluation/start/resolve-metrics.ts";
import { endpoint } from "../../../lib/http/endpoint.ts";
import { environmentGuard } from "../../../lib/wiring/access-guards.ts";
import { monitorNotFound, monitorReply } from "../../../lib/http/monitors/reply.ts";
import { environmentSchedules } from "../../../lib/wiring/schedules.ts";
import { synchroniseSoon } from "../../../lib/monitors/synchronise.ts";
import { connect } from "../../../lib/dynamo/database.ts";
import { customMetricStore } from "../../../lib/store/metrics/custom-metrics.ts";
import { monitorStore } from "../../../lib/store/monitors/monitors.ts";

const database = connect();
const monitors = monitorStore(database);
const checkMetrics = resolveMetrics(customMetricStore(database));
const schedules = environmentSchedules();

export const handler = endpoint(resumeMonitor, environmentGuard(database), async ({ params, project }) => {
  const current = await monitors.get(project.id, params.monitor_id);
  if (current?.monitor.status === "PAUSED")
    await checkMetrics(project.id, current.monitor.targetType, current.monitor.settings.metrics);
  const storedMonitor = await monitors.change(project.id, params.monitor_id, (monitor) =>
    resumedMonitor(monitor, Date.now()),
  );
  if (storedMonitor === null) throw monitorNotFound(params.monitor_id);
  await synchroniseSoon(storedMonitor, monitors, schedules);
  return monitorReply(storedMonitor.monitor);
});

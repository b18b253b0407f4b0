import { deleteCustomMetric } from "../../../lib/contract/metrics/custom-metrics.ts";
import { endpoint } from "../../../lib/http/endpoint.ts";
import { metricNotFound } from "../../../lib/http/metrics/custom-metric.ts";
import { pauseMonitorsOfMetric } from "../../../lib/monitors/pause-without-metric.ts";
import { connect } from "../../../lib/dynamo/database.ts";
import { environmentGuard } from "../../../lib/wiring/access-guards.ts";
import { customMetricStore } from "../../../lib/store/metrics/custom-metrics.ts";
import { monitorStore } from "../../../lib/store/monitors/monitors.ts";

const database = connect();
const [metrics, monitors] = [customMetricStore(database), monitorStore(database)];

export const handler = endpoint(deleteCustomMetric, environmentGuard(database), async ({ params, project }) => {
  if (!(await metrics.delete(project.id, params.metric_name))) throw metricNotFound(params.metric_name);
  await pauseMonitorsOfMetric(monitors, project.id, params.metric_name, Date.now());
});

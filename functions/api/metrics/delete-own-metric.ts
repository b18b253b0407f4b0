import { deleteOwnMetric } from "../../../lib/contract/metrics/own-metrics.ts";
import { endpoint } from "../../../lib/http/endpoint.ts";
import { metricNotFound } from "../../../lib/http/metrics/own-metric.ts";
import { connect } from "../../../lib/store/database.ts";
import { environmentGate } from "../../../lib/wiring/gates.ts";
import { environmentOwnMetrics } from "../../../lib/wiring/own-metrics.ts";

const database = connect();
const metrics = environmentOwnMetrics(database);

export const handler = endpoint(deleteOwnMetric, environmentGate(database), async ({ params, project }) => {
  if (!(await metrics.delete(project.id, params.metric_name))) throw metricNotFound(params.metric_name);
});

import { getOwnMetric } from "../../../lib/contract/metrics/own-metrics.ts";
import { metricReference } from "../../../lib/domain/metrics/own/reference.ts";
import { endpoint } from "../../../lib/http/endpoint.ts";
import { metricNotFound, ownMetricReply } from "../../../lib/http/metrics/own-metric.ts";
import { connect } from "../../../lib/store/database.ts";
import { environmentGate } from "../../../lib/wiring/gates.ts";
import { environmentOwnMetrics } from "../../../lib/wiring/own-metrics.ts";

const database = connect();
const metrics = environmentOwnMetrics(database);

export const handler = endpoint(getOwnMetric, environmentGate(database), async ({ params, project }) => {
  const { name, version: asked } = metricReference(params.metric_name);
  const metric = await metrics.get(project.id, name);
  const version = metric && (await metrics.version(project.id, name, asked ?? metric.versions.length));
  if (metric === null || version === null) throw metricNotFound(params.metric_name);
  return ownMetricReply(metric, version);
});

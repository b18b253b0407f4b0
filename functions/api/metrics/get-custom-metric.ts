import { getCustomMetric } from "../../../lib/contract/metrics/custom-metrics.ts";
import { metricReference } from "../../../lib/domain/metrics/custom/reference.ts";
import { endpoint } from "../../../lib/http/endpoint.ts";
import { customMetricReply, deletedMetric, metricNotFound } from "../../../lib/http/metrics/custom-metric.ts";
import { connect } from "../../../lib/dynamo/database.ts";
import { environmentGuard } from "../../../lib/wiring/access-guards.ts";
import { customMetricStore } from "../../../lib/store/metrics/custom-metrics.ts";

const database = connect();
const metrics = customMetricStore(database);

export const handler = endpoint(getCustomMetric, environmentGuard(database), async ({ params, project }) => {
  const { name, version: requestedVersion } = metricReference(params.metric_name);
  const metric = await metrics.get(project.id, name);
  const version = metric && (await metrics.version(project.id, name, requestedVersion ?? metric.versions.length));
  if (metric !== null && metric.deletedAt !== null && requestedVersion === null) throw deletedMetric(metric);
  if (metric === null || version === null) throw metricNotFound(params.metric_name);
  return customMetricReply(metric, version, []);
});

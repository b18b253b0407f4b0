import { updateOwnMetric } from "../../../lib/contract/metrics/own-metrics.ts";
import { definitionOf } from "../../../lib/domain/metrics/own/define.ts";
import { endpoint } from "../../../lib/http/endpoint.ts";
import { changedBy, metricNotFound, ownMetricReply } from "../../../lib/http/metrics/own-metric.ts";
import { connect } from "../../../lib/store/database.ts";
import { environmentGate } from "../../../lib/wiring/gates.ts";
import { environmentOwnMetrics } from "../../../lib/wiring/own-metrics.ts";

const database = connect();
const metrics = environmentOwnMetrics(database);

export const handler = endpoint(updateOwnMetric, environmentGate(database), async ({ body, params, project }) => {
  const changed = await metrics.change(project.id, params.metric_name, ({ sent: before }) => {
    const sent = changedBy(before, body);
    return { sent, definition: definitionOf(sent) };
  });
  if (changed === null) throw metricNotFound(params.metric_name);
  return ownMetricReply(changed.metric, changed.version);
});

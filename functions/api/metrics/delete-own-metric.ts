import { deleteOwnMetric } from "../../../lib/contract/metrics/own-metrics.ts";
import { instantAt } from "../../../lib/domain/instant.ts";
import { endpoint } from "../../../lib/http/endpoint.ts";
import { metricNotFound } from "../../../lib/http/metrics/own-metric.ts";
import { connect } from "../../../lib/store/database.ts";
import { ownMetricStore } from "../../../lib/store/metrics/own-metrics.ts";
import { environmentGate } from "../../../lib/wiring/gates.ts";

const database = connect();
const metrics = ownMetricStore(database, () => instantAt(Date.now()));

export const handler = endpoint(deleteOwnMetric, environmentGate(database), async ({ params, project }) => {
  if (!(await metrics.delete(project.id, params.metric_name))) throw metricNotFound(params.metric_name);
});

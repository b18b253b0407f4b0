import { createOwnMetric } from "../../../lib/contract/metrics/own-metrics.ts";
import { instantAt } from "../../../lib/domain/instant.ts";
import { definitionOf } from "../../../lib/domain/metrics/own/define.ts";
import { endpoint } from "../../../lib/http/endpoint.ts";
import { checkOwnName, ownMetricReply } from "../../../lib/http/metrics/own-metric.ts";
import { connect } from "../../../lib/store/database.ts";
import { ownMetricStore } from "../../../lib/store/metrics/own-metrics.ts";
import { requiredNumber, variables } from "../../../lib/wiring/environment.ts";
import { environmentGate } from "../../../lib/wiring/gates.ts";

const database = connect();
const metrics = ownMetricStore(database, () => instantAt(Date.now()));
const most = requiredNumber(variables.maxOwnMetrics);

export const handler = endpoint(createOwnMetric, environmentGate(database), async ({ body, mint, project, repeat }) => {
  const { name, ...sent } = body;
  checkOwnName(name);
  const definition = definitionOf(sent);
  const made = { id: mint("metric"), projectId: project.id, name, definition, sent };
  const { metric, version } = await metrics.create(made, most, repeat);
  return ownMetricReply(metric, version);
});

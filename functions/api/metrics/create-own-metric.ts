import { createOwnMetric } from "../../../lib/contract/metrics/own-metrics.ts";
import { definitionOf } from "../../../lib/domain/metrics/own/define.ts";
import { endpoint } from "../../../lib/http/endpoint.ts";
import { checkOwnName, ownMetricReply } from "../../../lib/http/metrics/own-metric.ts";
import { connect } from "../../../lib/store/database.ts";
import { requiredNumber, variables } from "../../../lib/wiring/environment.ts";
import { environmentGate } from "../../../lib/wiring/gates.ts";
import { environmentOwnMetrics } from "../../../lib/wiring/own-metrics.ts";

const database = connect();
const metrics = environmentOwnMetrics(database);
const most = requiredNumber(variables.maxOwnMetrics);

export const handler = endpoint(createOwnMetric, environmentGate(database), async ({ body, mint, project, repeat }) => {
  const { name, ...sent } = body;
  checkOwnName(name);
  const definition = definitionOf(sent);
  const made = { id: mint("metric"), projectId: project.id, name, definition, sent };
  const { metric, version } = await metrics.create(made, most, repeat);
  return ownMetricReply(metric, version);
});

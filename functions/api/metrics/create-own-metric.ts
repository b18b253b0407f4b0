import { createOwnMetric } from "../../../lib/contract/metrics/own-metrics.ts";
import { ownMetricMaker } from "../../../lib/handlers/metrics/make-own-metric.ts";
import { endpoint } from "../../../lib/http/endpoint.ts";
import { DryRun } from "../../../lib/http/other-answer.ts";
import { environmentGate } from "../../../lib/wiring/gates.ts";

const { database, make, tryOut } = ownMetricMaker();

export const handler = endpoint(createOwnMetric, environmentGate(database), async (request) => {
  const { name, ...sent } = request.body;
  return request.query.dry_run
    ? new DryRun(await tryOut(request, { name, sent }))
    : await make(request, { name, sent });
});

import { createCustomMetric } from "../../../lib/contract/metrics/custom-metrics.ts";
import { customMetricMaker } from "../../../lib/handlers/metrics/make-custom-metric.ts";
import { endpoint } from "../../../lib/http/endpoint.ts";
import { DryRun } from "../../../lib/http/other-answer.ts";
import { environmentGate } from "../../../lib/wiring/gates.ts";

const { database, make, tryOut } = customMetricMaker();

export const handler = endpoint(createCustomMetric, environmentGate(database), async (request) => {
  const { name, ...sent } = request.body;
  return request.query.dry_run
    ? new DryRun(await tryOut(request, { name, sent }))
    : await make(request, { name, sent });
});

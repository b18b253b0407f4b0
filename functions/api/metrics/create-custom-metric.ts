import { createCustomMetric } from "../../../lib/contract/metrics/custom-metrics.ts";
import { customMetricCreation } from "../../../lib/handlers/metrics/create-custom-metric.ts";
import { endpoint } from "../../../lib/http/endpoint.ts";
import { DryRun } from "../../../lib/http/answers.ts";
import { environmentGuard } from "../../../lib/wiring/access-guards.ts";

const { database, create, dryRun } = customMetricCreation();

export const handler = endpoint(createCustomMetric, environmentGuard(database), async (request) => {
  const { name, ...input } = request.body;
  return request.query.dry_run
    ? new DryRun(await dryRun(request, { name, input }))
    : await create(request, { name, input });
});

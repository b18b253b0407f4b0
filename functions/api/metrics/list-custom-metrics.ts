import { listCustomMetrics } from "../../../lib/contract/metrics/custom-metrics.ts";
import type { CustomMetric } from "../../../lib/domain/metrics/custom/definition.ts";
import { pageOf } from "../../../lib/domain/page.ts";
import { endpoint } from "../../../lib/http/endpoint.ts";
import { summaryReply } from "../../../lib/http/metrics/custom-metric.ts";
import { connect } from "../../../lib/dynamo/database.ts";
import { environmentGuard } from "../../../lib/wiring/access-guards.ts";
import { customMetricStore } from "../../../lib/store/metrics/custom-metrics.ts";

const database = connect();
const metrics = customMetricStore(database);

const newestFirst = async function* (
  metricStream: AsyncIterable<CustomMetric>,
  targetType: string | undefined,
): AsyncGenerator<CustomMetric> {
  const matches: CustomMetric[] = [];
  for await (const metric of metricStream) {
    if (metric.deletedAt === null && (targetType === undefined || metric.targetType === targetType))
      matches.push(metric);
  }
  const key = ({ versions: [created = ""], id }: CustomMetric): string => `${created}#${id}`;
  yield* matches.toSorted((a, b) => (key(a) < key(b) ? 1 : -1));
};

export const handler = endpoint(listCustomMetrics, environmentGuard(database), async ({ project, query, paging }) => {
  const customMetrics = newestFirst(metrics.list(project.id), query.target_type);
  const page = await pageOf(customMetrics, paging, ({ versions: [created = ""], id }) => ({ key: created, id }));
  return paging.page(page.items.map(summaryReply), page.total, page.last);
});

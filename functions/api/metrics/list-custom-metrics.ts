import { listCustomMetrics } from "../../../lib/contract/metrics/custom-metrics.ts";
import type { CustomMetric } from "../../../lib/domain/metrics/custom/definition.ts";
import { pageOf } from "../../../lib/domain/page.ts";
import { endpoint } from "../../../lib/http/endpoint.ts";
import { summaryReply } from "../../../lib/http/metrics/custom-metric.ts";
import { connect } from "../../../lib/store/database.ts";
import { environmentGate } from "../../../lib/wiring/gates.ts";
import { environmentCustomMetrics } from "../../../lib/wiring/custom-metrics.ts";

const database = connect();
const metrics = environmentCustomMetrics(database);

const newestFirst = async function* (
  all: AsyncIterable<CustomMetric>,
  targetType: string | undefined,
): AsyncGenerator<CustomMetric> {
  const found: CustomMetric[] = [];
  for await (const metric of all) {
    if (metric.deletedAt === null && (targetType === undefined || metric.targetType === targetType)) found.push(metric);
  }
  const key = ({ versions: [created = ""], id }: CustomMetric): string => `${created}#${id}`;
  yield* found.toSorted((a, b) => (key(a) < key(b) ? 1 : -1));
};

export const handler = endpoint(listCustomMetrics, environmentGate(database), async ({ project, query, paging }) => {
  const all = newestFirst(metrics.list(project.id), query.target_type);
  const page = await pageOf(all, paging, ({ versions: [created = ""], id }) => ({ key: created, id }));
  return paging.page(page.items.map(summaryReply), page.total, page.last);
});

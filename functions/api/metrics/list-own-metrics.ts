import { listOwnMetrics } from "../../../lib/contract/metrics/own-metrics.ts";
import type { OwnMetric } from "../../../lib/domain/metrics/own/definition.ts";
import { pageOf } from "../../../lib/domain/page.ts";
import { endpoint } from "../../../lib/http/endpoint.ts";
import { summaryReply } from "../../../lib/http/metrics/own-metric.ts";
import { connect } from "../../../lib/store/database.ts";
import { environmentGate } from "../../../lib/wiring/gates.ts";
import { environmentOwnMetrics } from "../../../lib/wiring/own-metrics.ts";

const database = connect();
const metrics = environmentOwnMetrics(database);

const newestFirst = async function* (
  all: AsyncIterable<OwnMetric>,
  targetType: string | undefined,
): AsyncGenerator<OwnMetric> {
  const found: OwnMetric[] = [];
  for await (const metric of all) {
    if (metric.deletedAt === null && (targetType === undefined || metric.targetType === targetType)) found.push(metric);
  }
  const key = ({ versions: [created = ""], id }: OwnMetric): string => `${created}#${id}`;
  yield* found.toSorted((a, b) => (key(a) < key(b) ? 1 : -1));
};

export const handler = endpoint(listOwnMetrics, environmentGate(database), async ({ project, query, paging }) => {
  const all = newestFirst(metrics.list(project.id), query.target_type);
  const page = await pageOf(all, paging, ({ versions: [created = ""], id }) => ({ key: created, id }));
  return paging.page(page.items.map(summaryReply), page.total, page.last);
});

import { listGalleryMetrics } from "../../../lib/contract/metrics/metric-sources.ts";
import { pageOf } from "../../../lib/domain/page.ts";
import { endpoint } from "../../../lib/http/endpoint.ts";
import { definitionReply } from "../../../lib/http/metrics/custom-metric.ts";
import { gallery } from "../../../lib/metrics/gallery/gallery.ts";
import { connect } from "../../../lib/dynamo/database.ts";
import { environmentGuard } from "../../../lib/wiring/access-guards.ts";

const asyncItems = async function* <T>(items: readonly T[]): AsyncGenerator<T> {
  yield* items;
};

const byName = gallery.toSorted((a, b) => (a.name < b.name ? 1 : -1));

export const handler = endpoint(listGalleryMetrics, environmentGuard(connect()), async ({ query, paging }) => {
  const matches = byName.filter(
    ({ target_type: type }) => query.target_type === undefined || query.target_type === type,
  );
  const page = await pageOf(asyncItems(matches), paging, ({ name }) => ({ key: name, id: name }));
  const items = page.items.map(({ name, ...definition }) => ({
    name,
    target_type: definition.target_type,
    description: definition.description,
    definition: definitionReply(definition),
  }));
  return paging.page(items, page.total, page.last);
});

import { listGalleryMetrics } from "../../../lib/contract/metrics/custom-metrics.ts";
import { pageOf } from "../../../lib/domain/page.ts";
import { endpoint } from "../../../lib/http/endpoint.ts";
import { definitionShown } from "../../../lib/http/metrics/custom-metric.ts";
import { gallerySent } from "../../../lib/metrics/gallery/as-sent.ts";
import { gallery } from "../../../lib/metrics/gallery/gallery.ts";
import { connect } from "../../../lib/store/database.ts";
import { environmentGate } from "../../../lib/wiring/gates.ts";

const each = async function* <T>(items: readonly T[]): AsyncGenerator<T> {
  yield* items;
};

const byName = gallery.toSorted((a, b) => (a.name < b.name ? 1 : -1));

export const handler = endpoint(listGalleryMetrics, environmentGate(connect()), async ({ query, paging }) => {
  const found = byName.filter(({ target_type: type }) => query.target_type === undefined || query.target_type === type);
  const page = await pageOf(each(found), paging, ({ name }) => ({ key: name, id: name }));
  const items = page.items.map((metric) => ({
    name: metric.name,
    target_type: metric.target_type,
    description: metric.description,
    definition: definitionShown(gallerySent(metric)),
  }));
  return paging.page(items, page.total, page.last);
});

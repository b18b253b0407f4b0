import { copyGalleryMetric } from "../../../lib/contract/metrics/metric-sources.ts";
import { invalid } from "../../../lib/domain/refusal.ts";
import { customMetricCreation } from "../../../lib/handlers/metrics/create-custom-metric.ts";
import { endpoint } from "../../../lib/http/endpoint.ts";
import { environmentGuard } from "../../../lib/wiring/access-guards.ts";
import { gallery } from "../../../lib/metrics/gallery/gallery.ts";

const { database, create } = customMetricCreation();

export const handler = endpoint(copyGalleryMetric, environmentGuard(database), async (request) => {
  const { name } = request.body;
  const metricName = request.body.metric ?? name;
  if (!metricName) throw invalid(["body", "metric"], "Field required", "missing");
  const galleryMetric = gallery.find((each) => each.name === metricName);
  if (galleryMetric === undefined) {
    const galleryNames = gallery.map((each) => each.name).join(", ");
    throw invalid(["body", "metric"], `The gallery has no metric ${metricName}. It has: ${galleryNames}`);
  }
  const { name: galleryName, ...input } = galleryMetric;
  return await create(request, { name: name ?? galleryName, input });
});

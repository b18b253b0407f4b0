import { copyGalleryMetric } from "../../../lib/contract/metrics/custom-metrics.ts";
import { invalid } from "../../../lib/domain/refusal.ts";
import { customMetricMaker } from "../../../lib/handlers/metrics/make-custom-metric.ts";
import { endpoint } from "../../../lib/http/endpoint.ts";
import { environmentGate } from "../../../lib/wiring/gates.ts";
import { gallerySent } from "../../../lib/metrics/gallery/as-sent.ts";
import { gallery } from "../../../lib/metrics/gallery/gallery.ts";

const { database, make } = customMetricMaker();

export const handler = endpoint(copyGalleryMetric, environmentGate(database), async (request) => {
  const { metric: asked, name } = request.body;
  const found = gallery.find((each) => each.name === asked);
  if (found === undefined) {
    const known = gallery.map((each) => each.name).join(", ");
    throw invalid(["body", "metric"], `The gallery has no metric ${asked}. It has: ${known}`);
  }
  return await make(request, { name: name ?? found.name, sent: gallerySent(found) });
});

import type { InferOutput } from "valibot";
import { listSessionMetrics } from "../../../lib/contract/metrics/metric-lists.ts";
import { endpoint } from "../../../lib/http/endpoint.ts";
import { environmentGuard } from "../../../lib/wiring/access-guards.ts";
import { sessionCatalogue } from "../../../lib/metrics/session/catalogue.ts";
import { customMetricItems } from "../../../lib/http/metrics/custom-metric.ts";
import { customMetricStore } from "../../../lib/store/metrics/custom-metrics.ts";
import { connect } from "../../../lib/dynamo/database.ts";

type CatalogueItem = InferOutput<typeof listSessionMetrics.reply>[number];

const catalogue: CatalogueItem[] = Object.entries(sessionCatalogue).map(([name, { description, category }]) => ({
  name,
  description,
  category,
}));

const database = connect();
const customMetrics = customMetricStore(database);

export const handler = endpoint(listSessionMetrics, environmentGuard(database), async ({ project }) =>
  catalogue.concat(await customMetricItems(customMetrics, project.id, "SESSION")),
);

import type { InferOutput } from "valibot";
import { listTraceMetrics } from "../../../lib/contract/metrics/metric-lists.ts";
import { endpoint } from "../../../lib/http/endpoint.ts";
import { environmentGuard } from "../../../lib/wiring/access-guards.ts";
import { traceCatalogue } from "../../../lib/metrics/trace/catalogue.ts";
import { customMetricItems } from "../../../lib/http/metrics/custom-metric.ts";
import { customMetricStore } from "../../../lib/store/metrics/custom-metrics.ts";
import { connect } from "../../../lib/dynamo/database.ts";

type CatalogueItem = InferOutput<typeof listTraceMetrics.reply>[number];

const catalogue: CatalogueItem[] = Object.entries(traceCatalogue).map(([name, { description, category }]) => ({
  name,
  description,
  category,
}));

const database = connect();
const customMetrics = customMetricStore(database);

export const handler = endpoint(listTraceMetrics, environmentGuard(database), async ({ project }) =>
  catalogue.concat(await customMetricItems(customMetrics, project.id, "TRACE")),
);

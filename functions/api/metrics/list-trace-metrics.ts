import type { InferOutput } from "valibot";
import { listTraceMetrics } from "../../../lib/contract/metrics/trace-metrics.ts";
import { endpoint } from "../../../lib/http/endpoint.ts";
import { environmentGate } from "../../../lib/wiring/gates.ts";
import { traceCatalogue } from "../../../lib/metrics/trace/catalogue.ts";
import { listedMetrics } from "../../../lib/http/metrics/custom-metric.ts";
import { environmentCustomMetrics } from "../../../lib/wiring/custom-metrics.ts";
import { connect } from "../../../lib/store/database.ts";

type Listed = InferOutput<typeof listTraceMetrics.reply>[number];

const catalogue: Listed[] = Object.entries(traceCatalogue).map(([name, { description, category }]) => ({
  name,
  description,
  category,
}));

const database = connect();
const own = environmentCustomMetrics(database);

export const handler = endpoint(listTraceMetrics, environmentGate(database), async ({ project }) =>
  catalogue.concat(await listedMetrics(own, project.id, "TRACE")),
);

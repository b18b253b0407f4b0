import { listTraceMetrics } from "../../../lib/contract/metrics/trace-metrics.ts";
import { endpoint } from "../../../lib/http/endpoint.ts";
import { environmentGate } from "../../../lib/wiring/gates.ts";
import { traceCatalogue } from "../../../lib/metrics/trace/catalogue.ts";
import { connect } from "../../../lib/store/database.ts";

const catalogue = Object.entries(traceCatalogue).map(([name, { description, category }]) => ({
  name,
  description,
  category,
}));

export const handler = endpoint(listTraceMetrics, environmentGate(connect()), async () => catalogue);

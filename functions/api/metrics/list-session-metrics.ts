import { listSessionMetrics } from "../../../lib/contract/metrics/session-metrics.ts";
import { endpoint } from "../../../lib/http/endpoint.ts";
import { environmentGate } from "../../../lib/wiring/gates.ts";
import { sessionCatalogue } from "../../../lib/metrics/session/catalogue.ts";
import { connect } from "../../../lib/store/database.ts";

const catalogue = Object.entries(sessionCatalogue).map(([name, { description, category }]) => ({
  name,
  description,
  category,
}));

export const handler = endpoint(listSessionMetrics, environmentGate(connect()), async () => catalogue);

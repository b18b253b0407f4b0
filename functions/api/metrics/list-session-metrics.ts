import type { InferOutput } from "valibot";
import { listSessionMetrics } from "../../../lib/contract/metrics/session-metrics.ts";
import { endpoint } from "../../../lib/http/endpoint.ts";
import { environmentGate } from "../../../lib/wiring/gates.ts";
import { sessionCatalogue } from "../../../lib/metrics/session/catalogue.ts";
import { listedMetrics } from "../../../lib/http/metrics/custom-metric.ts";
import { environmentCustomMetrics } from "../../../lib/wiring/custom-metrics.ts";
import { connect } from "../../../lib/store/database.ts";

type Listed = InferOutput<typeof listSessionMetrics.reply>[number];

const catalogue: Listed[] = Object.entries(sessionCatalogue).map(([name, { description, category }]) => ({
  name,
  description,
  category,
}));

const database = connect();
const own = environmentCustomMetrics(database);

export const handler = endpoint(listSessionMetrics, environmentGate(database), async ({ project }) =>
  catalogue.concat(await listedMetrics(own, project.id, "SESSION")),
);

import { exportMetrics } from "../../../lib/contract/otlp/export-metrics.ts";
import { endpoint } from "../../../lib/http/endpoint.ts";
import { otlpWires } from "../../../lib/http/otlp/wire.ts";
import { pointsIn } from "../../../lib/otlp/metric-points.ts";
import { partialSuccess } from "../../../lib/otlp/partial-success.ts";
import { connect } from "../../../lib/store/database.ts";
import { environmentGate } from "../../../lib/wiring/gates.ts";

export const handler = endpoint(
  exportMetrics,
  environmentGate(connect()),
  ({ body, once }) =>
    once({ lease: 0 }, async () =>
      partialSuccess("rejectedDataPoints", Array<string>(pointsIn(body)).fill("Metrics are not stored.")),
    ),
  otlpWires.metrics,
);

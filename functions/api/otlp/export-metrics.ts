import { exportMetrics } from "../../../lib/contract/otlp/export-metrics.ts";
import { endpoint } from "../../../lib/http/endpoint.ts";
import { otlpFormats } from "../../../lib/http/otlp/wire-format.ts";
import { countPoints } from "../../../lib/otlp/wire/metric-points.ts";
import { partialSuccess } from "../../../lib/otlp/wire/partial-success.ts";
import { connect } from "../../../lib/dynamo/database.ts";
import { environmentTelemetryGuard } from "../../../lib/wiring/access-guards.ts";

export const handler = endpoint(
  exportMetrics,
  environmentTelemetryGuard(connect()),
  ({ body, runOnce, warnings }) =>
    runOnce({ lease: 0 }, async () =>
      partialSuccess("rejectedDataPoints", Array<string>(countPoints(body)).fill("Metrics are not stored."), warnings),
    ),
  otlpFormats.metrics,
);

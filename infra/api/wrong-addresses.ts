import { noGrpc } from "../../lib/contract/otlp/fields.ts";

const signals = ["traces", "logs", "metrics"] as const;

const baseAddress =
  "Set OTEL_EXPORTER_OTLP_ENDPOINT to the base URL of the service: exporters add /v1/traces. Only an option `url` and " +
  "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT take the whole address.";

/** Paths to which wrongly configured exporters send, with the advice of the 404 reply. */
export const wrongAddresses: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    signals.flatMap((signal) => [`/v1/v1/${signal}`, `/v1/traces/v1/${signal}`].map((path) => [path, baseAddress])),
  ),
  "/api/public/otel":
    "Send spans to /api/public/otel/v1/traces; as OTEL_EXPORTER_OTLP_ENDPOINT this address is right, as an option `url` it is not.",
  ...Object.fromEntries(
    ["trace.v1.TraceService", "logs.v1.LogsService", "metrics.v1.MetricsService"].map((service) => [
      `/opentelemetry.proto.collector.${service}/Export`,
      noGrpc,
    ]),
  ),
};

import * as v from "valibot";
import { route } from "../route.ts";
import { message, repeated } from "./fields.ts";

const points = v.nullish(message({ dataPoints: repeated(message({})) }));

const exportRequest = v.pipe(
  message({
    resourceMetrics: repeated(
      message({
        scopeMetrics: repeated(
          message({
            metrics: repeated(
              message({
                gauge: points,
                sum: points,
                histogram: points,
                exponentialHistogram: points,
                summary: points,
              }),
            ),
          }),
        ),
      }),
    ),
  }),
  v.title("ExportMetricsServiceRequest"),
  v.description("OTLP's request, as its JSON encoding writes it: its points are counted, and nothing of them is kept."),
  v.examples([
    {
      resourceMetrics: [{ scopeMetrics: [{ metrics: [{ gauge: null, sum: { dataPoints: [{}] }, histogram: null }] }] }],
    },
  ]),
);

/** OTLP's request as its JSON encoding writes it, whichever encoding it came in. */
export type ExportMetricsRequest = v.InferOutput<typeof exportRequest>;

const exportResponse = v.pipe(
  v.object({
    partialSuccess: v.optional(v.object({ rejectedDataPoints: v.string(), errorMessage: v.string() })),
  }),
  v.title("ExportMetricsServiceResponse"),
  v.description("How many points were not stored: all of them."),
  v.examples([{ partialSuccess: { rejectedDataPoints: "1", errorMessage: "Metrics are not stored." } }]),
);

export const exportMetrics = route({
  id: "exportMetrics",
  method: "POST",
  path: "/v1/metrics",
  handler: "api/otlp/export-metrics",
  summary: "Say to OpenTelemetry's exporters of metrics that metrics are not stored",
  description:
    "For exporters that have one address for all they send. What is sent is counted and thrown away; the reply is a success " +
    "whose `partialSuccess` says so, as OTLP wants it: nothing is sent again. Encodings and refusals are those of `POST /v1/traces`.",
  access: "project",
  permission: "ingest",
  protocol: "otlp",
  body: exportRequest,
  success: 200,
  repeats: "sent",
  reply: exportResponse,
  grants: {},
});

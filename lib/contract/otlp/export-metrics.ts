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
  v.description("OTLP export request in its JSON encoding; its data points are counted and discarded."),
  v.examples([
    {
      resourceMetrics: [{ scopeMetrics: [{ metrics: [{ gauge: null, sum: { dataPoints: [{}] }, histogram: null }] }] }],
    },
  ]),
);

/** An OTLP metrics request in the form of its JSON encoding; protobuf requests are converted to it. */
export type ExportMetricsRequest = v.InferOutput<typeof exportRequest>;

const exportResponse = v.pipe(
  v.object({
    partialSuccess: v.optional(v.object({ rejectedDataPoints: v.string(), errorMessage: v.string() })),
  }),
  v.title("ExportMetricsServiceResponse"),
  v.description("Number of rejected data points, which is all of them."),
  v.examples([{ partialSuccess: { rejectedDataPoints: "1", errorMessage: "Metrics are not stored." } }]),
);

export const exportMetrics = route({
  id: "exportMetrics",
  method: "POST",
  path: "/v1/metrics",
  handler: "api/otlp/export-metrics",
  summary: "Accept and discard OpenTelemetry metrics",
  description:
    "Lets exporters use one endpoint for all signals. Data points are counted and discarded; the reply is a success with " +
    "`partialSuccess`, so that exporters do not send them again. Encodings and errors are the same as for `POST /v1/traces`.",
  access: "project",
  permission: "ingest",
  projectHeaders: ["Langsmith-Project"],
  namesProjects: true,
  protocol: "otlp",
  body: exportRequest,
  success: 200,
  idempotency: "replay-by-header",
  reply: exportResponse,
  grants: {},
});

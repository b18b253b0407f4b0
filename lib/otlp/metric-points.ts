import type { ExportMetricsRequest } from "../contract/otlp/export-metrics.ts";

/** How many points the metrics of a request have. */
export const pointsIn = ({ resourceMetrics }: ExportMetricsRequest): number =>
  resourceMetrics
    .flatMap(({ scopeMetrics }) => scopeMetrics)
    .flatMap(({ metrics }) => metrics)
    .flatMap(({ gauge, sum, histogram, exponentialHistogram, summary }) => [
      gauge,
      sum,
      histogram,
      exponentialHistogram,
      summary,
    ])
    .reduce((count, data) => count + (data?.dataPoints.length ?? 0), 0);

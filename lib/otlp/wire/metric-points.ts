import type { ExportMetricsRequest } from "../../contract/otlp/export-metrics.ts";

/** Counts the data points of an OTLP metrics request. */
export const countPoints = ({ resourceMetrics }: ExportMetricsRequest): number =>
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

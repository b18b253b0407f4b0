import { logLine, type LogFields } from "./log.ts";

/** CloudWatch namespace of all service metrics. */
export const metricNamespace = "Assay";

/** The only dimension of service metrics; it separates the deployments in an account. More dimensions would cost more metrics. */
export const stageDimension = "Stage";

/** Environment variable with the name of the deployment. */
export const stageVariable = "STAGE";

/** Service metrics and their CloudWatch units. An account has ten custom metrics for free; each further one costs $0.30 a month. */
export const publishedMetrics = {
  /** Waiting time of the oldest record or message of a batch when its worker starts. */
  Lag: "Seconds",
  /** Requests that the authorizer rejected with 401. */
  RefusedCallers: "Count",
  /** Failed requests for the key set of a token issuer. */
  KeySetUnavailable: "Count",
  /** Failed items of batches that succeeded as a whole, so that they appear neither as a function error nor as a 5xx. */
  FailedItems: "Count",
  /** Deliveries of a run slice in which its provider answered no judge call. */
  ProviderAway: "Count",
  JudgeCalls: "Count",
  /** Known cost of judge calls, US dollars. */
  JudgeCost: "None",
  /** Share of a monthly cost ceiling that is spent or reserved. */
  CeilingUsed: "Percent",
  /** Stored sums that differed from their source and were repaired. */
  SumsMended: "Count",
} as const;

export type PublishedMetric = keyof typeof publishedMetrics;

/**
 * Publishes service metrics as one log line in CloudWatch's embedded metric format, without a network call.
 *
 * @param fields further members of the log line, for operators; never content of traces.
 */
export const publishMetrics = (
  event: string,
  values: Readonly<Partial<Record<PublishedMetric, number>>>,
  fields: LogFields = {},
): void => {
  const Metrics = Object.entries(publishedMetrics)
    .filter(([Name]) => Name in values)
    .map(([Name, Unit]) => ({ Name, Unit }));
  logLine(
    event,
    { ...fields, ...values, [stageDimension]: process.env[stageVariable] ?? "none" },
    {
      Timestamp: Date.now(),
      CloudWatchMetrics: [{ Namespace: metricNamespace, Dimensions: [[stageDimension]], Metrics }],
    },
  );
};

/** Publishes the lag of a worker. @param milliseconds waiting time of its oldest item; negative values, from clock skew, count as 0. */
export const publishLag = (worker: string, milliseconds: number): void =>
  publishMetrics("batch_begun", { Lag: Math.max(0, milliseconds) / 1000 }, { worker });

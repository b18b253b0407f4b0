import { logLine, type Fields } from "./log.ts";

/** CloudWatch's namespace of everything that the service publishes itself. */
export const metricNamespace = "Assay";

/** The one dimension, so that two deployments in an account do not mix. Every value of another would be a metric to pay for. */
export const stageDimension = "Stage";

/** The environment variable with the name of the deployment. */
export const stageVariable = "STAGE";

/** What the service publishes itself, with CloudWatch's units. An account has ten such metrics free, each more costs $0.30 a month. */
export const publishedMetrics = {
  /** How long the oldest record or message of a batch had waited when its worker began. */
  Lag: "Seconds",
  /** Callers whom the authorizer turned away: each a 401. */
  RefusedCallers: "Count",
  /** Times that an issuer of tokens was asked for its keys and did not give them. */
  KeySetUnavailable: "Count",
  /** Items that failed by a fault of ours in a batch that as a whole did not, so that no error of the function or 5xx tells. */
  FailedItems: "Count",
  /** Deliveries of a slice in which its provider answered nothing. */
  ProviderAway: "Count",
  JudgeCalls: "Count",
  /** US dollars. */
  JudgeCost: "None",
  /** What is spent or set aside of a monthly ceiling. */
  CeilingUsed: "Percent",
  /** Sums that were not those of their rows. */
  SumsMended: "Count",
} as const;

export type PublishedMetric = keyof typeof publishedMetrics;

/**
 * Writes one line to the log from which CloudWatch makes data points of metrics: nothing is called, and nothing can fail.
 *
 * @param fields are in the line only, not in the metric: what an operator looks for. Never what a trace holds.
 */
export const publishMetrics = (
  event: string,
  values: Readonly<Partial<Record<PublishedMetric, number>>>,
  fields: Fields = {},
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

/** Publishes how late a worker begins, in milliseconds; a clock that is ahead of ours does not make it early. */
export const publishLag = (worker: string, milliseconds: number): void =>
  publishMetrics("batch_begun", { Lag: Math.max(0, milliseconds) / 1000 }, { worker });

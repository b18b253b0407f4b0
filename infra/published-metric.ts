import { Duration } from "aws-cdk-lib";
import { Metric } from "aws-cdk-lib/aws-cloudwatch";
import { metricNamespace, stageDimension, type PublishedMetric } from "../lib/published-metrics.ts";

/** A service metric of a stage, which its functions publish through their logs. */
export const publishedMetric = (
  stage: string,
  metricName: PublishedMetric,
  statistic: "Sum" | "Maximum",
  period: Duration = Duration.minutes(5),
): Metric =>
  new Metric({
    namespace: metricNamespace,
    metricName,
    dimensionsMap: { [stageDimension]: stage },
    statistic,
    period,
  });

import * as cloudwatch from "aws-cdk-lib/aws-cloudwatch";
import type { Construct } from "constructs";

export interface ServiceAlarmProps {
  readonly metric: cloudwatch.IMetric;
  /** The alarm is on from this value. */
  readonly threshold: number;
  readonly below?: true;
  /** Periods in a row, default 1. */
  readonly periods?: number;
  /** What the alarm means to a user of the service, and where to look. */
  readonly impact: string;
  /** What no data means. `quiet`: nothing happened, all is well. `broken`: what should have reported did not. */
  readonly silence: "quiet" | "broken";
}

/** An alarm that says what a failure means to a user. */
export const serviceAlarm = (scope: Construct, id: string, props: ServiceAlarmProps): cloudwatch.Alarm =>
  new cloudwatch.Alarm(scope, id, {
    metric: props.metric,
    threshold: props.threshold,
    comparisonOperator: props.below
      ? cloudwatch.ComparisonOperator.LESS_THAN_THRESHOLD
      : cloudwatch.ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
    evaluationPeriods: props.periods ?? 1,
    treatMissingData:
      props.silence === "broken" ? cloudwatch.TreatMissingData.BREACHING : cloudwatch.TreatMissingData.NOT_BREACHING,
    alarmDescription: `${props.impact} What to do: infra/README.md.`,
  });

import { Tags } from "aws-cdk-lib";
import * as cloudwatch from "aws-cdk-lib/aws-cloudwatch";
import type { Construct } from "constructs";

/** Urgency of an alarm. `page`: users are affected, act at any hour. `ticket`: act within a working day, before users are affected for good. */
type Severity = "page" | "ticket";

export interface ServiceAlarmProps {
  readonly metric: cloudwatch.IMetric;
  /** Value at which the alarm is raised: at or above it, or below it if `below` is set. */
  readonly threshold: number;
  readonly below?: true;
  /** Consecutive periods over the threshold before the alarm is raised; default 1. */
  readonly periods?: number;
  readonly severity: Severity;
  /** Alarm description for operators: effect on users of the service, and where to look. */
  readonly impact: string;
  /** CloudWatch's treatment of missing data. `notBreaching`: nothing happened. `breaching`: a process that should report is silent. */
  readonly missingData: "notBreaching" | "breaching";
}

/** Creates a CloudWatch alarm whose description states its severity and the effect of the failure on users. */
export const serviceAlarm = (scope: Construct, id: string, props: ServiceAlarmProps): cloudwatch.Alarm => {
  const alarm = new cloudwatch.Alarm(scope, id, {
    metric: props.metric,
    threshold: props.threshold,
    comparisonOperator: props.below
      ? cloudwatch.ComparisonOperator.LESS_THAN_THRESHOLD
      : cloudwatch.ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
    evaluationPeriods: props.periods ?? 1,
    treatMissingData:
      props.missingData === "breaching"
        ? cloudwatch.TreatMissingData.BREACHING
        : cloudwatch.TreatMissingData.NOT_BREACHING,
    alarmDescription: `${props.impact} Severity: ${props.severity}. What to do: infra/runbook.md.`,
  });
  // A notification contains the description only; the tag is for filters.
  Tags.of(alarm).add("severity", props.severity);
  return alarm;
};

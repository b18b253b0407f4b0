import { Duration, Validations } from "aws-cdk-lib";
import * as sqs from "aws-cdk-lib/aws-sqs";
import { Construct } from "constructs";
import { serviceAlarm } from "./alarm.ts";

/** A queue for what a worker gave up on, with an alarm. Nothing polls it: an idle mapping costs money. */
export class DeadLetters extends Construct {
  readonly queue: sqs.Queue;

  /** @param impact what a message in it means to a user. */
  constructor(scope: Construct, id: string, impact: string) {
    super(scope, id);
    this.queue = new sqs.Queue(this, "Queue", {
      retentionPeriod: Duration.days(14),
      encryption: sqs.QueueEncryption.SQS_MANAGED,
      enforceSSL: true,
    });
    Validations.of(this.queue).acknowledge({
      id: "AwsSolutions-SQS3",
      reason: "This is a dead-letter queue; its alarm is on while anything is in it.",
    });
    serviceAlarm(this, "NotEmpty", {
      metric: this.queue.metricApproximateNumberOfMessagesVisible({
        period: Duration.minutes(1),
        statistic: "Maximum",
      }),
      threshold: 1,
      impact,
      silence: "quiet",
    });
  }
}

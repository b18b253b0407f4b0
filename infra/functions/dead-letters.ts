import { Duration, Lazy, Validations } from "aws-cdk-lib";
import { MathExpression } from "aws-cdk-lib/aws-cloudwatch";
import * as sqs from "aws-cdk-lib/aws-sqs";
import { Construct } from "constructs";
import { serviceAlarm } from "../alarm.ts";
import type { Worker } from "./worker.ts";

/**
 * A queue for what workers gave up on, with an alarm that says of each worker what that means. Nothing polls it: an idle
 * mapping costs money.
 */
export class DeadLetters extends Construct {
  readonly queue: sqs.Queue;
  private readonly workers: Worker[] = [];

  constructor(scope: Construct, id: string) {
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
      metric: new MathExpression({
        // A new letter takes the alarm off for its minute, so that it is raised, and told, anew beside the old ones.
        expression: "IF(DIFF(letters) > 0, 0, letters)",
        usingMetrics: {
          letters: this.queue.metricApproximateNumberOfMessagesVisible({ statistic: "Maximum" }),
        },
        period: Duration.minutes(1),
      }),
      threshold: 1,
      // Workers come later, those of other parts of the stack too.
      impact: Lazy.string({ produce: () => this.impact() }),
      silence: "quiet",
    });
  }

  /** Lets the alarm speak for a worker whose failures are sent here. */
  speakFor(worker: Worker): void {
    this.workers.push(worker);
  }

  private impact(): string {
    const [first, ...others] = this.workers;
    if (first === undefined) throw new Error(`${this.node.path}: no worker sends anything here.`);
    if (others.length === 0) return first.impact;
    const each = this.workers.map((worker) => `${worker.shortName}: ${worker.impact}`);
    return `By the function that failed, which the message names; read its log. ${each.join(" ")}`;
  }
}

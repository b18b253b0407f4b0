import { Duration, Lazy, Validations } from "aws-cdk-lib";
import { MathExpression } from "aws-cdk-lib/aws-cloudwatch";
import * as sqs from "aws-cdk-lib/aws-sqs";
import { Construct } from "constructs";
import { serviceAlarm } from "../alarm.ts";

/** A worker or rule that sends its failures to a dead-letter queue. */
interface Sender {
  readonly shortName: string;
  /** What a failure means to users, and where to look. */
  readonly impact: string;
}

/**
 * A queue for messages, records and events that workers or rules failed at for good, with an alarm that states the impact for each worker. No
 * function polls the queue: an idle mapping costs money.
 */
export class DeadLetters extends Construct {
  readonly queue: sqs.Queue;
  private readonly workers: Sender[] = [];

  constructor(scope: Construct, id: string) {
    super(scope, id);
    this.queue = new sqs.Queue(this, "Queue", {
      retentionPeriod: Duration.days(14),
      encryption: sqs.QueueEncryption.SQS_MANAGED,
      enforceSSL: true,
    });
    Validations.of(this.queue).acknowledge({
      id: "AwsSolutions-SQS3",
      reason: "This is a dead-letter queue; its alarm is raised while it is not empty.",
    });
    serviceAlarm(this, "NotEmpty", {
      metric: new MathExpression({
        // A new message clears the alarm for a minute: the alarm is raised, and its topic notified, again although older messages remain.
        expression: "IF(DIFF(letters) > 0, 0, letters)",
        usingMetrics: {
          letters: this.queue.metricApproximateNumberOfMessagesVisible({ statistic: "Maximum" }),
        },
        period: Duration.minutes(1),
      }),
      threshold: 1,
      // Sweeps and reconciliations repair most of the lost work; the letters are kept for 14 days.
      severity: "ticket",
      // Resolved at synthesis: workers are added later, also by other constructs.
      impact: Lazy.string({ produce: () => this.impact() }),
      missingData: "notBreaching",
    });
  }

  /** Adds the impact of a worker or rule that sends its failures to this queue to the alarm's description. */
  addWorker(worker: Sender): void {
    this.workers.push(worker);
  }

  private impact(): string {
    const [first, ...otherWorkers] = this.workers;
    if (first === undefined) throw new Error(`${this.node.path}: no worker sends failures here.`);
    if (otherWorkers.length === 0) return first.impact;
    const impacts = this.workers.map((worker) => `${worker.shortName}: ${worker.impact}`);
    return `The impact depends on the function that failed, which the message names; read its log. ${impacts.join(" ")}`;
  }
}

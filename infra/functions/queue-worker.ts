import { Duration } from "aws-cdk-lib";
import { CfnEventSourceMapping, EventSourceMapping } from "aws-cdk-lib/aws-lambda";
import * as sqs from "aws-cdk-lib/aws-sqs";
import { Construct } from "constructs";
import { serviceAlarm } from "../alarm.ts";
import { DeadLetters } from "./dead-letters.ts";
import type { StackParts, WorkerProps } from "./service-function.ts";
import { Worker } from "./worker.ts";

export interface QueueWorkerProps extends WorkerProps {
  /** Visibility timeout of the queue in seconds; at least the function's timeout, or AWS refuses the mapping. */
  readonly visibility: number;
  readonly maxReceiveCount: number;
  /** Maximum concurrent calls of the function. Without it Lambda lowers an idle queue's pollers from five to two, which cost less. */
  readonly maxConcurrency?: number;
  /** Dead-letter queue that is shared with other workers; a separate queue is created when absent. */
  readonly deadLetters?: DeadLetters;
  /** Alarm description for messages that wait for a quarter of an hour: effect on users, and where to look. */
  readonly waitImpact: string;
}

/** An SQS queue and the function that handles its messages, one for each invocation. */
export class QueueWorker extends Construct {
  readonly queue: sqs.Queue;
  readonly worker: Worker;

  constructor(scope: Construct, id: string, parts: StackParts, props: QueueWorkerProps) {
    super(scope, id);
    if (props.visibility < props.timeout)
      throw new Error(`${id}: the visibility timeout is below the function's timeout.`);
    const deadLetters = props.deadLetters ?? new DeadLetters(this, "DeadLetters");
    this.queue = new sqs.Queue(this, "Queue", {
      visibilityTimeout: Duration.seconds(props.visibility),
      retentionPeriod: Duration.days(14),
      deadLetterQueue: { queue: deadLetters.queue, maxReceiveCount: props.maxReceiveCount },
      encryption: sqs.QueueEncryption.SQS_MANAGED,
      enforceSSL: true,
    });
    this.worker = new Worker(this, "Worker", parts, props);
    deadLetters.addWorker(this.worker);
    this.worker.allow(
      ["sqs:ReceiveMessage", "sqs:DeleteMessage", "sqs:GetQueueAttributes", "sqs:ChangeMessageVisibility"],
      this.queue.queueArn,
    );
    const { maxConcurrency } = props;
    const mapping = new EventSourceMapping(this, "Mapping", {
      target: this.worker.function,
      eventSourceArn: this.queue.queueArn,
      batchSize: 1,
      ...(maxConcurrency !== undefined && { maxConcurrency }),
      reportBatchItemFailures: true,
    });
    const resource = mapping.node.defaultChild;
    // An absent property would leave an earlier maximum as it is; an empty one removes it.
    if (maxConcurrency === undefined && resource instanceof CfnEventSourceMapping) resource.scalingConfig = {};
    serviceAlarm(this, "Waiting", {
      // The metric skips messages that were received three times, thus also those that a worker returned to wait.
      metric: this.queue.metricApproximateAgeOfOldestMessage({ period: Duration.minutes(5), statistic: "Maximum" }),
      threshold: 15 * 60,
      severity: "ticket",
      impact: props.waitImpact,
      missingData: "notBreaching",
    });
  }
}

import { Duration } from "aws-cdk-lib";
import { EventSourceMapping } from "aws-cdk-lib/aws-lambda";
import * as sqs from "aws-cdk-lib/aws-sqs";
import { Construct } from "constructs";
import { serviceAlarm } from "../alarm.ts";
import { DeadLetters } from "./dead-letters.ts";
import type { StackParts, WorkerProps } from "./service-function.ts";
import { Worker } from "./worker.ts";

export interface QueueWorkerProps extends WorkerProps {
  /** Seconds; at least the function's time-out, or AWS refuses the mapping. */
  readonly visibility: number;
  readonly maxReceiveCount: number;
  readonly maxConcurrency: number;
  /** Where messages go that were given up, when other workers' go there too; a queue of its own when absent. */
  readonly deadLetters?: DeadLetters;
  /** What it means to a user that a message waits for a quarter of an hour, and where to look. */
  readonly waitImpact: string;
}

/** A queue and the function that works through it, one message at a time. */
export class QueueWorker extends Construct {
  readonly queue: sqs.Queue;
  readonly worker: Worker;

  constructor(scope: Construct, id: string, parts: StackParts, props: QueueWorkerProps) {
    super(scope, id);
    if (props.visibility < props.timeout) throw new Error(`${id}: the visibility is below the function's time-out.`);
    const deadLetters = props.deadLetters ?? new DeadLetters(this, "DeadLetters");
    this.queue = new sqs.Queue(this, "Queue", {
      visibilityTimeout: Duration.seconds(props.visibility),
      retentionPeriod: Duration.days(14),
      deadLetterQueue: { queue: deadLetters.queue, maxReceiveCount: props.maxReceiveCount },
      encryption: sqs.QueueEncryption.SQS_MANAGED,
      enforceSSL: true,
    });
    this.worker = new Worker(this, "Worker", parts, props);
    deadLetters.speakFor(this.worker);
    this.worker.allow(
      ["sqs:ReceiveMessage", "sqs:DeleteMessage", "sqs:GetQueueAttributes", "sqs:ChangeMessageVisibility"],
      this.queue.queueArn,
    );
    new EventSourceMapping(this, "Mapping", {
      target: this.worker.function,
      eventSourceArn: this.queue.queueArn,
      batchSize: 1,
      maxConcurrency: props.maxConcurrency,
      reportBatchItemFailures: true,
    });
    serviceAlarm(this, "Waiting", {
      // SQS looks past what was received three times, so past what its worker has given back to wait.
      metric: this.queue.metricApproximateAgeOfOldestMessage({ period: Duration.minutes(5), statistic: "Maximum" }),
      threshold: 15 * 60,
      impact: props.waitImpact,
      silence: "quiet",
    });
  }
}

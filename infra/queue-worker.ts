import { Duration } from "aws-cdk-lib";
import { EventSourceMapping } from "aws-cdk-lib/aws-lambda";
import * as sqs from "aws-cdk-lib/aws-sqs";
import { Construct } from "constructs";
import { serviceAlarm } from "./alarm.ts";
import { DeadLetters } from "./dead-letters.ts";
import { ServiceFunction, type Ground, type ServiceFunctionProps } from "./service-function.ts";

export interface QueueWorkerProps extends ServiceFunctionProps {
  /** Seconds; at least the function's time-out, or AWS refuses the mapping. */
  readonly visibility: number;
  readonly maxReceiveCount: number;
  readonly maxConcurrency: number;
  /** What a message that was given up means to a user; or another worker's dead letters, whose alarm says it for both. */
  readonly givenUp: string | sqs.Queue;
  /** Seconds a message may wait before the alarm, and what the wait means to a user; no alarm when absent. */
  readonly wait?: { readonly longest: number; readonly impact: string };
}

/** A queue and the function that works through it, one message at a time. */
export class QueueWorker extends Construct {
  readonly queue: sqs.Queue;
  readonly worker: ServiceFunction;

  constructor(scope: Construct, id: string, ground: Ground, props: QueueWorkerProps) {
    super(scope, id);
    if (props.visibility < props.timeout) throw new Error(`${id}: the visibility is below the function's time-out.`);
    const { givenUp } = props;
    const deadLetters = typeof givenUp === "string" ? new DeadLetters(this, "DeadLetters", givenUp).queue : givenUp;
    this.queue = new sqs.Queue(this, "Queue", {
      visibilityTimeout: Duration.seconds(props.visibility),
      retentionPeriod: Duration.days(14),
      deadLetterQueue: { queue: deadLetters, maxReceiveCount: props.maxReceiveCount },
      encryption: sqs.QueueEncryption.SQS_MANAGED,
      enforceSSL: true,
    });
    this.worker = new ServiceFunction(this, "Worker", ground, props);
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
    if (props.wait === undefined) return;
    serviceAlarm(this, "Waiting", {
      metric: this.queue.metricApproximateAgeOfOldestMessage({ period: Duration.minutes(5), statistic: "Maximum" }),
      threshold: props.wait.longest,
      impact: props.wait.impact,
      silence: "quiet",
    });
  }
}

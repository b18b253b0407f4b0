import { Duration } from "aws-cdk-lib";
import type { Table } from "aws-cdk-lib/aws-dynamodb";
import type { Queue } from "aws-cdk-lib/aws-sqs";
import { EventSourceMapping, FilterCriteria, StartingPosition } from "aws-cdk-lib/aws-lambda";
import { Construct } from "constructs";
import { serviceAlarm } from "./alarm.ts";
import { DeadLetters } from "./dead-letters.ts";
import { ServiceFunction, type Ground, type ServiceFunctionProps } from "./service-function.ts";

export interface StreamWorkerProps extends ServiceFunctionProps {
  readonly table: Table;
  /** Only records that match one of these reach the function. */
  readonly filters: readonly Record<string, unknown>[];
  readonly batchSize: number;
  readonly retryAttempts: number;
  /** The function answers which records it did not handle; the others before them are done. */
  readonly reportsFailures?: true;
  /** Seconds; the event names its shard only when the mapping has a window. */
  readonly tumblingWindow?: number;
  /** What a batch that was given up means to a user; or another worker's dead letters, whose alarm says it for both. */
  readonly givenUp: string | Queue;
  /** Seconds the worker may lag behind before the alarm, and what the lag means to a user; no alarm when absent. */
  readonly lag?: { readonly longest: number; readonly impact: string };
}

/** A function that reads a table's stream, from its beginning and in order. */
export class StreamWorker extends Construct {
  readonly worker: ServiceFunction;
  readonly deadLetters: Queue;

  constructor(scope: Construct, id: string, ground: Ground, props: StreamWorkerProps) {
    super(scope, id);
    const streamArn = props.table.tableStreamArn;
    if (streamArn === undefined) throw new Error(`${id}: the table has no stream.`);
    const { givenUp } = props;
    this.deadLetters = typeof givenUp === "string" ? new DeadLetters(this, "DeadLetters", givenUp).queue : givenUp;
    this.worker = new ServiceFunction(this, "Worker", ground, props);
    this.worker.allow(
      ["dynamodb:DescribeStream", "dynamodb:GetRecords", "dynamodb:GetShardIterator", "dynamodb:ListStreams"],
      streamArn,
    );
    this.worker.allow(["sqs:SendMessage"], this.deadLetters.queueArn);
    new EventSourceMapping(this, "Mapping", {
      target: this.worker.function,
      eventSourceArn: streamArn,
      startingPosition: StartingPosition.TRIM_HORIZON,
      batchSize: props.batchSize,
      bisectBatchOnError: true,
      ...(props.reportsFailures && { reportBatchItemFailures: true }),
      retryAttempts: props.retryAttempts,
      filters: props.filters.map((filter) => FilterCriteria.filter(filter)),
      onFailure: { bind: () => ({ destination: this.deadLetters.queueArn }) },
      ...(props.tumblingWindow !== undefined && { tumblingWindow: Duration.seconds(props.tumblingWindow) }),
    });
    if (props.lag === undefined) return;
    serviceAlarm(this, "Lagging", {
      metric: this.worker.function.metric("IteratorAge", { period: Duration.minutes(5), statistic: "Maximum" }),
      threshold: props.lag.longest * 1000,
      impact: props.lag.impact,
      silence: "quiet",
    });
  }
}

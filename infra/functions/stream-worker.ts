import { Duration } from "aws-cdk-lib";
import { EventSourceMapping, FilterCriteria, StartingPosition } from "aws-cdk-lib/aws-lambda";
import { Construct } from "constructs";
import { DeadLetters } from "./dead-letters.ts";
import type { StackParts, WorkerProps } from "./service-function.ts";
import type { TableReference } from "../table-reference.ts";
import { Worker } from "./worker.ts";

export interface StreamWorkerProps extends WorkerProps {
  readonly table: TableReference;
  /** Only records that match one of these reach the function. */
  readonly filters: readonly Record<string, unknown>[];
  readonly batchSize: number;
  readonly retryAttempts: number;
  /** The function answers which records it did not handle; the others before them are done. */
  readonly reportsFailures?: true;
  /** Seconds; the event names its shard only when the mapping has a window. */
  readonly tumblingWindow?: number;
  /** Where batches go that were given up, when other workers' go there too; a queue of its own when absent. */
  readonly deadLetters?: DeadLetters;
}

/** A function that reads a table's stream, from its beginning and in order. */
export class StreamWorker extends Construct {
  readonly worker: Worker;
  readonly deadLetters: DeadLetters;

  constructor(scope: Construct, id: string, parts: StackParts, props: StreamWorkerProps) {
    super(scope, id);
    const streamArn = props.table.tableStreamArn;
    if (streamArn === undefined) throw new Error(`${id}: the table has no stream.`);
    this.deadLetters = props.deadLetters ?? new DeadLetters(this, "DeadLetters");
    const { queueArn } = this.deadLetters.queue;
    this.worker = new Worker(this, "Worker", parts, props);
    this.deadLetters.speakFor(this.worker);
    this.worker.allow(
      ["dynamodb:DescribeStream", "dynamodb:GetRecords", "dynamodb:GetShardIterator", "dynamodb:ListStreams"],
      streamArn,
    );
    this.worker.allow(["sqs:SendMessage"], queueArn);
    new EventSourceMapping(this, "Mapping", {
      target: this.worker.function,
      eventSourceArn: streamArn,
      startingPosition: StartingPosition.TRIM_HORIZON,
      batchSize: props.batchSize,
      bisectBatchOnError: true,
      ...(props.reportsFailures && { reportBatchItemFailures: true }),
      retryAttempts: props.retryAttempts,
      // As long as a stream keeps a record: given up any earlier, it would be lost while there is still time to mend its worker.
      maxRecordAge: Duration.hours(24),
      filters: props.filters.map((filter) => FilterCriteria.filter(filter)),
      onFailure: { bind: () => ({ destination: queueArn }) },
      ...(props.tumblingWindow !== undefined && { tumblingWindow: Duration.seconds(props.tumblingWindow) }),
    });
  }
}

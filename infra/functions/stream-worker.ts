import { Duration } from "aws-cdk-lib";
import { EventSourceMapping, FilterCriteria, StartingPosition } from "aws-cdk-lib/aws-lambda";
import { Construct } from "constructs";
import { DeadLetters } from "./dead-letters.ts";
import type { StackParts, WorkerProps } from "./service-function.ts";
import type { TableReference } from "../table-reference.ts";
import { Worker } from "./worker.ts";

export interface StreamWorkerProps extends WorkerProps {
  readonly table: TableReference;
  /** Filter patterns of the event source mapping; records that match none of them are skipped. */
  readonly filters: readonly Record<string, unknown>[];
  readonly batchSize: number;
  readonly retryAttempts: number;
  /** Tumbling window in seconds. Events contain their shard's id only if the mapping has a window. */
  readonly tumblingWindow?: number;
  /** Dead-letter queue that is shared with other workers; a separate queue is created when absent. */
  readonly deadLetters?: DeadLetters;
}

/** A function that reads a table's stream in order, from the oldest record. */
export class StreamWorker extends Construct {
  readonly worker: Worker;
  readonly deadLetters: DeadLetters;
  readonly mapping: EventSourceMapping;

  constructor(scope: Construct, id: string, parts: StackParts, props: StreamWorkerProps) {
    super(scope, id);
    const streamArn = props.table.tableStreamArn;
    if (streamArn === undefined) throw new Error(`${id}: the table has no stream.`);
    this.deadLetters = props.deadLetters ?? new DeadLetters(this, "DeadLetters");
    const { queueArn } = this.deadLetters.queue;
    this.worker = new Worker(this, "Worker", parts, props);
    this.deadLetters.addWorker(this.worker);
    this.worker.allow(
      ["dynamodb:DescribeStream", "dynamodb:GetRecords", "dynamodb:GetShardIterator", "dynamodb:ListStreams"],
      streamArn,
    );
    this.worker.allow(["sqs:SendMessage"], queueArn);
    this.mapping = new EventSourceMapping(this, "Mapping", {
      target: this.worker.function,
      eventSourceArn: streamArn,
      startingPosition: StartingPosition.TRIM_HORIZON,
      batchSize: props.batchSize,
      bisectBatchOnError: true,
      retryAttempts: props.retryAttempts,
      // The retention of a stream: a shorter age would drop records while the worker could still be repaired.
      maxRecordAge: Duration.hours(24),
      filters: props.filters.map((filter) => FilterCriteria.filter(filter)),
      onFailure: { bind: () => ({ destination: queueArn }) },
      ...(props.tumblingWindow !== undefined && { tumblingWindow: Duration.seconds(props.tumblingWindow) }),
    });
  }
}

import type { DynamoDBStreamEvent } from "aws-lambda";

/** Event of a stream mapping with a tumbling window, without which the event has no shard id. The last call of a window has no records. */
export interface WindowEvent extends Partial<DynamoDBStreamEvent> {
  readonly shardId?: string;
  readonly state?: unknown;
  readonly isFinalInvokeForWindow?: boolean;
}

import type { DynamoDBStreamEvent } from "aws-lambda";
import { countChanges } from "../../lib/stream/count-changes.ts";
import { connect } from "../../lib/store/database.ts";
import { traceCounts } from "../../lib/store/trace-counts.ts";

const counts = traceCounts(connect());

/** Only the event of a mapping with a tumbling window names its shard. */
type WindowEvent = DynamoDBStreamEvent & { readonly shardId?: string };

export const handler = async (event: WindowEvent): Promise<{ state: Record<string, never> }> => {
  if (event.shardId === undefined) throw new Error("The event names no shard: its mapping has no window.");
  await counts.fold(event.shardId, countChanges(event.Records ?? []));
  return { state: {} };
};

import {
  DescribeStreamCommand,
  type DynamoDBStreamsClient,
  ExpiredIteratorException,
  GetRecordsCommand,
  GetShardIteratorCommand,
  TrimmedDataAccessException,
} from "@aws-sdk/client-dynamodb-streams";
import { changesNothing, type Stream, type StreamRecord, streamRecord } from "./stream-record.ts";

/** A read of a shard. */
interface ShardPage {
  readonly records: readonly StreamRecord[];
  /** The last record read, records that are no change included. */
  readonly last: string | undefined;
}

/** Reads on from where the last read ended. */
export type ShardReader = () => Promise<ShardPage>;

/** The ids of a stream's shards, oldest first. */
export const shardIds = async (client: DynamoDBStreamsClient, { ownArn }: Stream): Promise<readonly string[]> => {
  const { StreamDescription } = await client.send(new DescribeStreamCommand({ StreamArn: ownArn }));
  return (StreamDescription?.Shards ?? []).map(({ ShardId }) => ShardId ?? "");
};

/**
 * Makes the reader of a shard, starting behind a record, or where the mapping starts when there is none.
 *
 * A position that has been trimmed away goes on with the oldest record there is.
 */
export const shardReader = (
  client: DynamoDBStreamsClient,
  stream: Stream,
  shardId: string,
  after: string | undefined,
  fromBeginning: boolean,
): ShardReader => {
  let position = after;
  let iterator: string | undefined;

  const open = async (): Promise<string | undefined> => {
    const shard = { StreamArn: stream.ownArn, ShardId: shardId };
    const start =
      position === undefined
        ? ({ ShardIteratorType: fromBeginning ? "TRIM_HORIZON" : "LATEST" } as const)
        : ({ ShardIteratorType: "AFTER_SEQUENCE_NUMBER", SequenceNumber: position } as const);
    try {
      return (await client.send(new GetShardIteratorCommand({ ...shard, ...start }))).ShardIterator;
    } catch (error) {
      if (!(error instanceof TrimmedDataAccessException)) throw error;
      return (await client.send(new GetShardIteratorCommand({ ...shard, ShardIteratorType: "TRIM_HORIZON" })))
        .ShardIterator;
    }
  };

  return async () => {
    iterator ??= await open();
    try {
      const page = await client.send(new GetRecordsCommand({ ShardIterator: iterator, Limit: 1_000 }));
      const read = page.Records ?? [];
      iterator = page.NextShardIterator;
      position = read.at(-1)?.dynamodb?.SequenceNumber ?? position;
      return {
        records: read.filter((record) => !changesNothing(record)).map((record) => streamRecord(record, stream)),
        last: read.at(-1)?.dynamodb?.SequenceNumber,
      };
    } catch (error) {
      iterator = undefined;
      if (error instanceof ExpiredIteratorException) return { records: [], last: undefined };
      throw error;
    }
  };
};

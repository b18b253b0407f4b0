import {
  DescribeStreamCommand,
  type DynamoDBStreamsClient,
  ExpiredIteratorException,
  GetRecordsCommand,
  GetShardIteratorCommand,
  ResourceNotFoundException,
  TrimmedDataAccessException,
} from "@aws-sdk/client-dynamodb-streams";
import { changesNothing, type StreamRecord, streamRecord } from "./stream-record.ts";

/** A read of a shard. */
interface ShardPage {
  readonly records: readonly StreamRecord[];
  /** The last record read, records that are no change included. */
  readonly last: string | undefined;
  /** The shard is closed, and nothing more will come. */
  readonly ended: boolean;
}

/** Reads on from where the last read ended. */
export type ShardReader = () => Promise<ShardPage>;

/** A piece of a stream. */
export interface Shard {
  readonly id: string;
  /** The shard that this one goes on with, for as long as the stream remembers it. */
  readonly parent: string | undefined;
}

/** The shards of a stream, oldest first. */
export const shardsOf = async (client: DynamoDBStreamsClient, streamArn: string): Promise<readonly Shard[]> => {
  const { StreamDescription } = await client.send(new DescribeStreamCommand({ StreamArn: streamArn }));
  const shards = StreamDescription?.Shards ?? [];
  const known = new Set(shards.map(({ ShardId }) => ShardId));
  return shards.map(({ ShardId: id = "", ParentShardId: parent }) => ({
    id,
    parent: known.has(parent) ? parent : undefined,
  }));
};

/** Where a shard is, and how its records are to be seen. */
export interface ShardSource {
  /** The stream as the database calls it. */
  readonly ownArn: string;
  /** The stream as functions know it. */
  readonly streamArn: string;
  readonly shardId: string;
  /** What creation times are rounded down to, in milliseconds. */
  readonly timeStep: number;
}

/**
 * Makes the reader of a shard, starting behind a record, or where the mapping starts when there is none.
 *
 * A position that has been trimmed away goes on with the oldest record there is; a shard that is gone has ended.
 */
export const shardReader = (
  client: DynamoDBStreamsClient,
  { ownArn, streamArn, shardId, timeStep }: ShardSource,
  after: string | undefined,
  fromBeginning: boolean,
): ShardReader => {
  let position = after;
  let iterator: string | undefined;

  const open = async (): Promise<string | undefined> => {
    const shard = { StreamArn: ownArn, ShardId: shardId };
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
    try {
      iterator ??= await open();
      const page = await client.send(new GetRecordsCommand({ ShardIterator: iterator, Limit: 1_000 }));
      const read = page.Records ?? [];
      iterator = page.NextShardIterator;
      position = read.at(-1)?.dynamodb?.SequenceNumber ?? position;
      return {
        records: read
          .filter((record) => !changesNothing(record))
          .map((record) => streamRecord(record, streamArn, timeStep)),
        last: read.at(-1)?.dynamodb?.SequenceNumber,
        ended: page.NextShardIterator === undefined,
      };
    } catch (error) {
      iterator = undefined;
      const ended = error instanceof ResourceNotFoundException;
      if (ended || error instanceof ExpiredIteratorException) return { records: [], last: undefined, ended };
      throw error;
    }
  };
};

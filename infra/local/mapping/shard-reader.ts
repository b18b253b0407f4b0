import {
  DescribeStreamCommand,
  type DynamoDBStreamsClient,
  ExpiredIteratorException,
  GetRecordsCommand,
  type GetRecordsCommandOutput,
  GetShardIteratorCommand,
  type ShardIteratorType,
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
 * A position that has been trimmed away goes on with the oldest record there is. DynamoDB Local says so, too, of the
 * beginning of a shard that had no records yet while other tables' streams got theirs.
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

  const openAt = async (ShardIteratorType: ShardIteratorType, SequenceNumber?: string): Promise<string | undefined> => {
    const start = { ShardIteratorType, ...(SequenceNumber !== undefined && { SequenceNumber }) };
    const shard = { StreamArn: stream.ownArn, ShardId: shardId };
    return (await client.send(new GetShardIteratorCommand({ ...shard, ...start }))).ShardIterator;
  };

  const open = (): Promise<string | undefined> =>
    position === undefined
      ? openAt(fromBeginning ? "TRIM_HORIZON" : "LATEST")
      : openAt("AFTER_SEQUENCE_NUMBER", position);

  const readAt = (ShardIterator: string | undefined): Promise<GetRecordsCommandOutput> =>
    client.send(new GetRecordsCommand({ ShardIterator, Limit: 1_000 }));

  const readOn = async (): Promise<GetRecordsCommandOutput> => {
    try {
      iterator ??= await open();
      return await readAt(iterator);
    } catch (error) {
      if (!(error instanceof TrimmedDataAccessException)) throw error;
      return readAt(await openAt("TRIM_HORIZON"));
    }
  };

  return async () => {
    try {
      const page = await readOn();
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

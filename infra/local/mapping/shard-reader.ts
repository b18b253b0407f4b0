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
import { isUnchanged, type Stream, type StreamRecord, streamRecord } from "./stream-record.ts";

/** A page of records of a shard. */
interface ShardPage {
  readonly records: readonly StreamRecord[];
  /** Sequence number of the last record read, including dropped records; undefined for an empty page. */
  readonly last: string | undefined;
}

/** Reads the next page of a shard. */
export type ShardReader = () => Promise<ShardPage>;

/** Lists the ids of a stream's shards, oldest first. */
export const shardIds = async (client: DynamoDBStreamsClient, { engineArn }: Stream): Promise<readonly string[]> => {
  const { StreamDescription } = await client.send(new DescribeStreamCommand({ StreamArn: engineArn }));
  return (StreamDescription?.Shards ?? []).map(({ ShardId }) => ShardId ?? "");
};

/**
 * Creates the reader of a shard, which starts after the record `after`, or at the mapping's starting position when undefined.
 *
 * If the position has been trimmed, reading continues with the oldest record. DynamoDB Local reports a trimmed position also at
 * the beginning of an empty shard when other streams have records.
 *
 * @param after sequence number of the last handled record
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
    const shard = { StreamArn: stream.engineArn, ShardId: shardId };
    return (await client.send(new GetShardIteratorCommand({ ...shard, ...start }))).ShardIterator;
  };

  const open = (): Promise<string | undefined> =>
    position === undefined
      ? openAt(fromBeginning ? "TRIM_HORIZON" : "LATEST")
      : openAt("AFTER_SEQUENCE_NUMBER", position);

  const readAt = (ShardIterator: string | undefined): Promise<GetRecordsCommandOutput> =>
    client.send(new GetRecordsCommand({ ShardIterator, Limit: 1_000 }));

  const readNext = async (): Promise<GetRecordsCommandOutput> => {
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
      const page = await readNext();
      const records = page.Records ?? [];
      iterator = page.NextShardIterator;
      position = records.at(-1)?.dynamodb?.SequenceNumber ?? position;
      return {
        records: records.filter((record) => !isUnchanged(record)).map((record) => streamRecord(record, stream)),
        last: records.at(-1)?.dynamodb?.SequenceNumber,
      };
    } catch (error) {
      iterator = undefined;
      if (error instanceof ExpiredIteratorException) return { records: [], last: undefined };
      throw error;
    }
  };
};

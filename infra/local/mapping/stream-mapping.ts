import type { DynamoDBStreamsClient } from "@aws-sdk/client-dynamodb-streams";
import { type Background, repeat } from "../host/background.ts";
import type { NoteFailure } from "../host/failure-log.ts";
import type { Functions } from "../lambda/functions.ts";
import type { EventSource } from "./event-source.ts";
import type { FailureDestination } from "./failure-record.ts";
import { passesFilters } from "./filter-pattern.ts";
import { shardConsumer } from "./shard-consumer.ts";
import { shardIds, shardReader } from "./shard-reader.ts";
import { Stopped } from "./stream-delivery.ts";
import type { Positions } from "./stream-positions.ts";
import type { Stream, StreamRecord } from "./stream-record.ts";

/** Lambda reads a shard four times a second. */
const [idleMs, busyMs] = [250, 20];

/** Below the 6 MB of an event, with room for what is around the records. */
const batchBytes = 5_500_000;

/** What every stream mapping of the runtime uses. */
export interface StreamServices {
  readonly client: DynamoDBStreamsClient;
  readonly functions: Functions;
  readonly positions: Positions;
  readonly destination: FailureDestination;
  readonly noteFailure: NoteFailure;
  /** The database's streams by their ARN. */
  readonly streams: ReadonlyMap<string, Stream>;
}

const batchLength = (records: readonly StreamRecord[], most: number): number => {
  let bytes = 0;
  const over = records.findIndex(({ size }, index) => index === most || (bytes += size) > batchBytes);
  return over === -1 ? records.length : Math.max(1, over);
};

/**
 * Reads a table's stream and calls its function: filters, batches, retries, bisecting, windows, positions that survive a
 * restart. Records are delivered at least once and, within an item, in order.
 *
 * Does not do: `userIdentity` of expiry, splitting of shards (the local database has one), metrics.
 */
export const startStreamMapping = (services: StreamServices, source: EventSource): Background => {
  const { client, functions, positions, destination, noteFailure, streams } = services;
  const { sourceArn, fromBeginning, filters, batchSize, batchingWindow } = source;
  const failed = (error: unknown): void => noteFailure(source.id, error);
  const shards = new Map<string, Background>();
  const stream = streams.get(sourceArn);
  if (stream === undefined) throw new Error(`${source.id}: no table has the stream ${sourceArn}.`);

  const startShard = (shardId: string): Background => {
    const key = `${source.id} ${sourceArn} ${shardId}`;
    const read = shardReader(client, stream, shardId, positions.get(key)?.sequence, fromBeginning);
    const consumer = shardConsumer({ functions, source, shardId, positions, key, destination });
    let buffer: StreamRecord[] = [];
    let waitingSince = 0;

    return repeat(async (signal) => {
      try {
        const page = await read();
        if (buffer.length === 0) waitingSince = Date.now();
        buffer.push(...page.records.filter(({ event }) => passesFilters(event, filters)));
        while (buffer.length > 0 && (buffer.length >= batchSize || Date.now() - waitingSince >= batchingWindow)) {
          const length = batchLength(buffer, batchSize);
          await consumer.consume(buffer.slice(0, length), signal);
          buffer = buffer.slice(length);
        }
        if (page.last === undefined && buffer.length === 0) await consumer.rest(signal);
        return page.last === undefined ? idleMs : busyMs;
      } catch (error) {
        if (error instanceof Stopped) return 0;
        throw error;
      }
    }, failed);
  };

  const watcher = repeat(async () => {
    for (const shardId of await shardIds(client, stream))
      if (!shards.has(shardId)) shards.set(shardId, startShard(shardId));
    return 60_000;
  }, failed);
  return {
    stop: async () => {
      await watcher.stop();
      await Promise.all([...shards.values()].map((shard) => shard.stop()));
    },
  };
};

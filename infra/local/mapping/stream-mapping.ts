import type { DynamoDBStreamsClient } from "@aws-sdk/client-dynamodb-streams";
import { type Background, repeat } from "../host/background.ts";
import type { NoteFailure } from "../host/failure-log.ts";
import type { Functions } from "../lambda/functions.ts";
import type { EventSource } from "./event-source.ts";
import type { FailureDestination } from "./failure-record.ts";
import { passesFilters } from "./filter-pattern.ts";
import { shardConsumer } from "./shard-consumer.ts";
import { shardReader, shardsOf } from "./shard-reader.ts";
import { Stopped } from "./stream-delivery.ts";
import type { Positions } from "./stream-positions.ts";
import type { StreamRecord } from "./stream-record.ts";

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
  /** What the database calls a stream, by its ARN. */
  readonly ownArns: ReadonlyMap<string, string>;
  /** What the database rounds the time of a change down to, in milliseconds. */
  readonly timeStep: number;
}

const batchLength = (records: readonly StreamRecord[], most: number): number => {
  let bytes = 0;
  const over = records.findIndex(({ size }, index) => index === most || (bytes += size) > batchBytes);
  return over === -1 ? records.length : Math.max(1, over);
};

/**
 * Reads a table's stream and calls its function: filters, batches, retries, bisecting, windows, positions that survive a
 * restart, shards that go on where others ended. Records are delivered at least once and, within an item, in order.
 *
 * Does not do: `userIdentity` of expiry, metrics.
 */
export const startStreamMapping = (services: StreamServices, source: EventSource): Background => {
  const { client, functions, positions, destination, noteFailure, timeStep } = services;
  const { sourceArn: streamArn, filters, batchSize, batchingWindow } = source;
  const ownArn = services.ownArns.get(streamArn) ?? streamArn;
  const failed = (error: unknown): void => noteFailure(source.id, error);
  const shards = new Map<string, Background>();
  const ended = new Set<string>();
  let stopping = false;

  const startShard = (shardId: string, fromBeginning: boolean): Background => {
    const key = `${source.id} ${streamArn} ${shardId}`;
    const place = { ownArn, streamArn, shardId, timeStep };
    const read = shardReader(client, place, positions.get(key)?.sequence, fromBeginning);
    const consumer = shardConsumer({ functions, source, shardId, positions, key, destination });
    let buffer: StreamRecord[] = [];
    let waitingSince = 0;

    return repeat(async (signal) => {
      try {
        const page = await read();
        if (buffer.length === 0) waitingSince = Date.now();
        buffer.push(...page.records.filter(({ event }) => passesFilters(event, filters)));
        const isDue = (): boolean =>
          page.ended || buffer.length >= batchSize || Date.now() - waitingSince >= batchingWindow;
        while (buffer.length > 0 && isDue()) {
          const length = batchLength(buffer, batchSize);
          await consumer.consume(buffer.slice(0, length), signal);
          buffer = buffer.slice(length);
        }
        if (page.ended) {
          await consumer.end(signal);
          ended.add(shardId);
          await startShards();
          return null;
        }
        if (page.last === undefined && buffer.length === 0) await consumer.rest(signal);
        return page.last === undefined ? idleMs : busyMs;
      } catch (error) {
        if (error instanceof Stopped) return 0;
        throw error;
      }
    }, failed);
  };

  const startShards = async (): Promise<void> => {
    const found = await shardsOf(client, ownArn);
    const first = shards.size === 0;
    for (const { id, parent } of stopping ? [] : found)
      if (!shards.has(id) && (parent === undefined || ended.has(parent)))
        shards.set(id, startShard(id, source.fromBeginning || !first));
  };

  const watcher = repeat(async () => {
    await startShards();
    return 60_000;
  }, failed);
  return {
    stop: async () => {
      stopping = true;
      await watcher.stop();
      await Promise.all([...shards.values()].map((shard) => shard.stop()));
    },
  };
};

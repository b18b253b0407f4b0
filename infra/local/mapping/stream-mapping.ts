import type { DynamoDBStreamsClient } from "@aws-sdk/client-dynamodb-streams";
import { type Background, repeat } from "../host/background.ts";
import type { LogFailure } from "../host/failure-log.ts";
import type { Functions } from "../lambda/functions.ts";
import type { EventSource } from "./event-source.ts";
import type { FailureDestination } from "./failure-record.ts";
import { passesFilters } from "./filter-pattern.ts";
import { shardConsumer } from "./shard-consumer.ts";
import { shardIds, shardReader } from "./shard-reader.ts";
import { DeliveryStopped } from "./stream-delivery.ts";
import type { Positions } from "./stream-positions.ts";
import type { Stream, StreamRecord } from "./stream-record.ts";

/** Milliseconds between reads of a shard when it is idle, as in Lambda, and when it has records. */
const [idleMs, busyMs] = [250, 20];

/** Maximum bytes of the records of a batch: the 6 MB limit of an event, less room for its other fields. */
const batchBytes = 5_500_000;

/** Services and callbacks that all stream mappings share. */
export interface StreamServices {
  readonly client: DynamoDBStreamsClient;
  readonly functions: Functions;
  readonly positions: Positions;
  readonly destination: FailureDestination;
  readonly logFailure: LogFailure;
  /** Streams of the tables by the ARN that functions see. */
  readonly streams: ReadonlyMap<string, Stream>;
}

const batchLength = (records: readonly StreamRecord[], maxRecords: number): number => {
  let bytes = 0;
  const firstExcluded = records.findIndex(({ size }, index) => index === maxRecords || (bytes += size) > batchBytes);
  return firstExcluded === -1 ? records.length : Math.max(1, firstExcluded);
};

/**
 * Starts reading a table's stream and invoking its function, with filters, batches, retries, bisecting, windows, and positions that
 * survive a restart. Records are delivered at least once and, per item, in order.
 *
 * Not supported: `userIdentity` of expiry, splitting of shards (the local database has one shard), CloudWatch metrics.
 */
export const startStreamMapping = (services: StreamServices, source: EventSource): Background => {
  const { client, functions, positions, destination, logFailure, streams } = services;
  const { sourceArn, fromBeginning, filters, batchSize, batchingWindow } = source;
  const reportError = (error: unknown): void => logFailure(source.id, error);
  const shards = new Map<string, Background>();
  const stream = streams.get(sourceArn);
  if (stream === undefined) throw new Error(`${source.id}: no table has the stream ${sourceArn}.`);

  const startShard = (shardId: string): Background => {
    const key = `${source.id} ${sourceArn} ${shardId}`;
    const readPage = shardReader(client, stream, shardId, positions.get(key)?.sequence, fromBeginning);
    const consumer = shardConsumer({ functions, source, shardId, positions, key, destination });
    let buffer: StreamRecord[] = [];
    let waitingSince = 0;

    return repeat(async (signal) => {
      try {
        const page = await readPage();
        if (buffer.length === 0) waitingSince = Date.now();
        buffer.push(...page.records.filter(({ event }) => passesFilters(event, filters)));
        while (buffer.length > 0 && (buffer.length >= batchSize || Date.now() - waitingSince >= batchingWindow)) {
          const length = batchLength(buffer, batchSize);
          await consumer.consume(buffer.slice(0, length), signal);
          buffer = buffer.slice(length);
        }
        if (page.last === undefined && buffer.length === 0) await consumer.closeEndedWindow(signal);
        return page.last === undefined ? idleMs : busyMs;
      } catch (error) {
        if (error instanceof DeliveryStopped) return 0;
        throw error;
      }
    }, reportError);
  };

  const watcher = repeat(async () => {
    for (const shardId of await shardIds(client, stream))
      if (!shards.has(shardId)) shards.set(shardId, startShard(shardId));
    return 60_000;
  }, reportError);
  return {
    stop: async () => {
      await watcher.stop();
      await Promise.all([...shards.values()].map((shard) => shard.stop()));
    },
  };
};

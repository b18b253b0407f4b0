import type { DynamoDBRecord } from "aws-lambda";
import type { Random } from "../../support/random.ts";
import type { ModelShard, ModelStream } from "./shard-model.ts";

/** Input of a stream function: records of a shard, or none at the end of a tumbling window. */
export interface ShardBatch {
  readonly Records: DynamoDBRecord[];
  readonly shardId: string;
  readonly state: unknown;
  readonly isFinalInvokeForWindow: boolean;
}

/**
 * Model of an event source mapping that calls a function, which may fail; the function's result is the window's state.
 */
export interface ShardConsumerModel {
  /** Calls the function concurrently with one batch of each of some shards. @returns false when no records are left. */
  step(): Promise<boolean>;
}

interface Position {
  readonly next: number;
  readonly state: unknown;
  /** True if a tumbling window has started. */
  readonly open: boolean;
}

const atStart: Position = { next: 0, state: {}, open: false };

/**
 * Delivers a stream as Lambda's mapping does: a shard after its parent, batches cut differently at each attempt, failed
 * batches again, and some successful batches again. Windows end at random times.
 * @param call the function; throws when it fails or crashes.
 * @param windows true if the mapping has a tumbling window.
 */
export const shardConsumerModel = (
  random: Random,
  stream: ModelStream,
  call: (batch: ShardBatch) => Promise<unknown>,
  windows: boolean,
): ShardConsumerModel => {
  const positions = new Map<ModelShard, Position>();
  const at = (shard: ModelShard): Position => positions.get(shard) ?? atStart;
  const isOver = (shard: ModelShard): boolean =>
    shard.closed && at(shard).next >= shard.records.length && !at(shard).open;
  const isBusy = (shard: ModelShard): boolean => at(shard).next < shard.records.length || at(shard).open;
  const mayBegin = ({ parent }: ModelShard): boolean => parent === null || isOver(parent);

  /** Calls that exceeded the mapping's time limit and still run beside the next attempt. */
  const timedOutCalls: Promise<unknown>[] = [];

  const deliver = async (shard: ModelShard): Promise<void> => {
    const before = at(shard);
    const remaining = shard.records.length - before.next;
    const ends = windows && before.open && (remaining === 0 || random.chance(0.2));
    const length = ends ? 0 : random.chance(0.3) ? remaining : random.between(1, Math.min(remaining, 8));
    const Records = shard.records.slice(before.next, before.next + length);
    const batch = { Records, shardId: shard.id, state: before.state, isFinalInvokeForWindow: ends };
    const calling = call(batch);
    if (random.chance(0.25)) {
      timedOutCalls.push(calling.catch(() => undefined));
      return;
    }
    try {
      const state = JSON.parse(JSON.stringify((await calling) ?? {})) as unknown;
      // The mapping may lose the function's result and deliver the batch again.
      if (random.chance(0.1)) return;
      positions.set(
        shard,
        ends ? { ...before, state: {}, open: false } : { next: before.next + length, state, open: windows },
      );
    } catch {
      // The next attempt delivers the records again in a different batch.
    }
  };

  return {
    step: async () => {
      const ready = stream.shards.filter((shard) => isBusy(shard) && mayBegin(shard));
      const selectedShards = ready.filter(() => random.chance(0.6));
      await Promise.all((selectedShards.length === 0 ? ready.slice(0, 1) : selectedShards).map(deliver));
      if (ready.length > 0) return true;
      await Promise.all(timedOutCalls);
      return false;
    },
  };
};

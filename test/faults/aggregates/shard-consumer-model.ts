import type { DynamoDBRecord } from "aws-lambda";
import type { Random } from "../../support/random.ts";
import type { ModelShard, ModelStream } from "./shard-model.ts";

/** What a function is called with: some records of a shard, or none at the end of a window. */
export interface ShardBatch {
  readonly Records: DynamoDBRecord[];
  readonly shardId: string;
  readonly state: unknown;
  readonly isFinalInvokeForWindow: boolean;
}

/** A mapping of a stream to a function, that may fail; what it answers is the window's state. */
export interface ShardConsumerModel {
  /** Calls the function for one batch of each of some shards, at the same time. @returns false when nothing is left. */
  step(): Promise<boolean>;
}

interface Position {
  readonly next: number;
  readonly state: unknown;
  /** Whether a window has begun. */
  readonly open: boolean;
}

const atStart: Position = { next: 0, state: {}, open: false };

/**
 * Delivers a stream as a mapping does: a shard after its parent, batches cut anew at each attempt, a batch again when its
 * call failed, and now and then though it did not. Windows end at any time.
 *
 * @param call the function; throws when it fails or dies.
 * @param windows whether the mapping has a tumbling window.
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

  /** Calls that took too long for the mapping and go on beside the next attempt. */
  const late: Promise<unknown>[] = [];

  const deliver = async (shard: ModelShard): Promise<void> => {
    const before = at(shard);
    const left = shard.records.length - before.next;
    const ends = windows && before.open && (left === 0 || random.chance(0.2));
    const length = ends ? 0 : random.chance(0.3) ? left : random.between(1, Math.min(left, 8));
    const Records = shard.records.slice(before.next, before.next + length);
    const batch = { Records, shardId: shard.id, state: before.state, isFinalInvokeForWindow: ends };
    const calling = call(batch);
    if (random.chance(0.25)) {
      late.push(calling.catch(() => undefined));
      return;
    }
    try {
      const state = JSON.parse(JSON.stringify((await calling) ?? {})) as unknown;
      // The mapping may lose what the function answered, and deliver again.
      if (random.chance(0.1)) return;
      positions.set(
        shard,
        ends ? { ...before, state: {}, open: false } : { next: before.next + length, state, open: windows },
      );
    } catch {
      // The same again, cut in another way.
    }
  };

  return {
    step: async () => {
      const ready = stream.shards.filter((shard) => isBusy(shard) && mayBegin(shard));
      const chosen = ready.filter(() => random.chance(0.6));
      await Promise.all((chosen.length === 0 ? ready.slice(0, 1) : chosen).map(deliver));
      if (ready.length > 0) return true;
      await Promise.all(late);
      return false;
    },
  };
};

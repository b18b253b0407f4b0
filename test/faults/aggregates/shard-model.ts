import type { DynamoDBRecord } from "aws-lambda";
import type { Random } from "../../support/random.ts";

/** A shard of the stream model: ordered records of a range of partition keys, until the shard closes. */
export interface ModelShard {
  readonly id: string;
  /** Range of key hashes from 0 to 1: `from` inclusive, `to` exclusive. */
  readonly from: number;
  readonly to: number;
  /** Shard that must be read to its end before this shard. */
  readonly parent: ModelShard | null;
  readonly records: readonly DynamoDBRecord[];
  readonly closed: boolean;
}

/** Model of a DynamoDB stream whose shards split and are replaced; changes of one item stay in order. */
export interface ModelStream {
  readonly shards: readonly ModelShard[];
  add(records: readonly DynamoDBRecord[]): void;
}

const mostOpen = 5;

const keyOf = ({ dynamodb }: DynamoDBRecord): string => dynamodb?.Keys?.["pk"]?.B ?? dynamodb?.Keys?.["pk"]?.S ?? "";

/** Position of a record's partition key between 0 and 1. */
const placeOf = (record: DynamoDBRecord): number => {
  let hash = 0;
  for (const letter of keyOf(record)) {
    hash = Math.imul(hash ^ (letter.codePointAt(0) ?? 0), 0x85ebca6b) ^ (hash >>> 15);
  }
  return (hash >>> 0) / 2 ** 32;
};

export const modelStream = (random: Random): ModelStream => {
  type Growing = { -readonly [Key in keyof ModelShard]: ModelShard[Key] } & { records: DynamoDBRecord[] };
  const shards: Growing[] = [];
  const open = (from: number, to: number, parent: ModelShard | null): void => {
    shards.push({ id: `shard-${shards.length}`, from, to, parent, records: [], closed: false });
  };
  open(0, 1, null);

  /** Closes a shard and opens one or two successors. */
  const replace = (shard: Growing, count: number): void => {
    shard.closed = true;
    const middle = count === 1 ? shard.to : shard.from + (shard.to - shard.from) * random.next();
    open(shard.from, middle, shard);
    if (count > 1) open(middle, shard.to, shard);
  };

  return {
    shards,
    add: (records) => {
      for (const record of records) {
        const alive = shards.filter(({ closed }) => !closed);
        if (random.chance(0.04))
          replace(random.pick(alive as [Growing, ...Growing[]]), alive.length < mostOpen ? 2 : 1);
        const place = placeOf(record);
        shards.find(({ closed, from, to }) => !closed && place >= from && place < to)?.records.push(record);
      }
    },
  };
};

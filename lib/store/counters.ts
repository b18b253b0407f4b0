import { GetCommand, PutCommand, paginateQuery } from "@aws-sdk/lib-dynamodb";
import * as v from "valibot";
import { sideBySide } from "../async/side-by-side.ts";
import { attempts, contended } from "./attempts.ts";
import { counterMerge } from "./counter-merge.ts";
import type { Database } from "./database.ts";
import { isGone, kept } from "./expiry.ts";
import * as patience from "./patience.ts";

/** A change of a number, as one record of a stream tells it. */
export interface CounterChange {
  readonly project: string;
  /** Partition of the counter, in the table of aggregates. */
  readonly partition: string;
  /** Begins its sort keys, and ends with `#`. */
  readonly counter: string;
  /** UTC day on which what is counted expires, `YYYY-MM-DD`; `-` when it is kept. */
  readonly expiry: string;
  readonly change: 1 | -1;
  /** The record's sequence number, rising within its shard. */
  readonly sequence: bigint;
}

/** What one shard has told of a counter. */
interface Partial {
  readonly sort: string;
  readonly n: number;
}

const partial = v.object({
  n: v.number(),
  seq: v.pipe(
    v.string(),
    v.transform((text) => BigInt(text)),
  ),
});

const sum = v.object({ sk: v.string(), n: v.number() });

/** Counters that are folded side by side; within one the order of its changes is kept. */
const foldsAtOnce = 20;

/** A counter of a day that is over is of no more use; a clock may be late by less than this. */
const counterGraceSeconds = 86_400;

/**
 * Counters as partial sums, one for each counter and stream shard, with the last sequence number that went in: what is at or
 * below it was counted before. What expires on different days is counted apart: a day that is over leaves a total without a
 * write.
 */
export const counterStore = ({ client, table }: Database, now: () => number = Date.now) => {
  const mergeQuiet = counterMerge({ client, table }, now);

  const foldOne = async (
    shard: string,
    changes: readonly [CounterChange, ...(readonly CounterChange[])],
  ): Promise<void> => {
    const TableName = table("aggregates");
    const [{ partition, counter, expiry }] = changes;
    const Key = { pk: partition, sk: counter + shard };
    // Folders of the same shard meet only when one of them is late.
    await attempts(patience.brief, contended("A counter moved at every attempt to fold into it."), async () => {
      const { Item } = await client.send(new GetCommand({ TableName, Key, ConsistentRead: true }));
      const before = Item === undefined ? null : v.parse(partial, Item);
      const fresh = changes.filter(({ sequence }) => before === null || sequence > before.seq);
      const last = fresh.at(-1);
      if (last === undefined) return;
      const n = fresh.reduce((total, { change }) => total + change, before?.n ?? 0);
      const ttl = expiry === kept ? undefined : Date.parse(expiry) / 1000 + counterGraceSeconds;
      await client.send(
        new PutCommand({
          TableName,
          Item: { ...Key, n, seq: String(last.sequence), at: now(), ttl },
          ConditionExpression: before === null ? "attribute_not_exists(pk)" : "seq = :seq",
          ...(before === null ? {} : { ExpressionAttributeValues: { ":seq": String(before.seq) } }),
        }),
      );
      if (before === null) await mergeQuiet(partition, counter);
    });
  };

  return {
    /**
     * Folds changes of one stream shard, each exactly once however often and however cut they are delivered.
     *
     * @throws what the first counter threw that could not be folded, after all others were.
     */
    fold: async (shard: string, changes: readonly CounterChange[]): Promise<void> => {
      // Nobody reads the counter of a day that is over: what it counted is removed at no cost.
      const alive = changes.filter(({ expiry }) => !isGone(expiry, now()));
      const counters = Map.groupBy(alive, ({ partition, counter }) => `${partition}\n${counter}`);
      await sideBySide(counters.values(), foldsAtOnce, async ([first, ...others]) => {
        if (first !== undefined) await foldOne(shard, [first, ...others]);
      });
    },

    /** What the shards have told of the counters that begin between two texts, both included; may lag writes by seconds. */
    between: async (partition: string, first: string, last: string): Promise<readonly Partial[]> => {
      const found: Partial[] = [];
      const pages = paginateQuery(
        { client },
        {
          TableName: table("aggregates"),
          KeyConditionExpression: "pk = :pk AND sk BETWEEN :first AND :last",
          ExpressionAttributeValues: { ":pk": partition, ":first": first, ":last": last },
        },
      );
      for await (const { Items = [] } of pages) {
        for (const item of Items) {
          // Beside the counters may lie what a later version has put there.
          const read = v.safeParse(sum, item);
          if (read.success) found.push({ sort: read.output.sk, n: read.output.n });
        }
      }
      return found;
    },
  };
};

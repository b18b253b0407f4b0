import { GetCommand, PutCommand, paginateQuery } from "@aws-sdk/lib-dynamodb";
import * as v from "valibot";
import { sideBySide } from "../../async/side-by-side.ts";
import { attempts, contended } from "../attempts.ts";
import type { Database } from "../database.ts";
import * as patience from "../patience.ts";
import { isGone, kept } from "../expiry.ts";
import { countMerge } from "./count-merge.ts";

/** A change of the number of traces, as one record of the rows' stream tells it. */
export interface CountChange {
  readonly project: string;
  /** UTC day on which the row expires, `YYYY-MM-DD`; `-` when it is kept. */
  readonly expiry: string;
  readonly change: 1 | -1;
  /** The record's sequence number, rising within its shard. */
  readonly sequence: bigint;
}

export interface TraceCounts {
  /** Traces of a project; may lag writes by seconds. Those that have expired are not among them. */
  total(project: string): Promise<number>;
  /**
   * Folds changes of one stream shard, each exactly once however often and however cut they are delivered.
   *
   * @throws what the first counter threw that could not be folded, after all others were.
   */
  fold(shard: string, changes: readonly CountChange[]): Promise<void>;
}

/** Partition of what counts a project's traces, in the table of aggregates. */
export const countsPartition = (project: string): string => `${project}#traces`;

/** Begins the sort keys of a counter: of the rows that are kept, or of those that expire on one day. */
export const counterOf = (expiry: string): string => (expiry === kept ? "total#" : `expires#${expiry}#`);

/** Whether a sort key is a counter's: beside the counters may lie what a later version has put there. */
export const isCounterSort = (sort: unknown): boolean => typeof sort === "string" && /^(?:total|expires)#/u.test(sort);

const partial = v.object({
  n: v.number(),
  seq: v.pipe(
    v.string(),
    v.transform((text) => BigInt(text)),
  ),
});

const sum = v.object({ n: v.number() });

/** Counters that are folded side by side; within one the order of its changes is kept. */
const foldsAtOnce = 20;

/** A counter of a day that is over is of no more use; a clock may be late by less than this. */
const counterGraceSeconds = 86_400;

/**
 * Counters as partial sums, one for each counter and stream shard, with the last sequence number that went in: what
 * is at or below it was counted before. A day that has expired leaves the total at once: its counters are not read.
 */
export const traceCounts = (database: Database, now: () => number = Date.now): TraceCounts => {
  const { client, table } = database;
  const mergeQuiet = countMerge(database, now);

  const foldOne = async (
    project: string,
    expiry: string,
    shard: string,
    changes: readonly CountChange[],
  ): Promise<void> => {
    const counter = counterOf(expiry);
    const Key = { pk: countsPartition(project), sk: counter + shard };
    // Folders of the same shard meet only when one of them is late.
    await attempts(patience.brief, contended("A trace counter moved at every attempt to fold into it."), async () => {
      const { Item } = await client.send(new GetCommand({ TableName: table("aggregates"), Key, ConsistentRead: true }));
      const before = Item === undefined ? null : v.parse(partial, Item);
      const fresh = changes.filter(({ sequence }) => before === null || sequence > before.seq);
      const last = fresh.at(-1);
      if (last === undefined) return;
      const n = fresh.reduce((total, { change }) => total + change, before?.n ?? 0);
      const ttl = expiry === kept ? undefined : Date.parse(expiry) / 1000 + counterGraceSeconds;
      await client.send(
        new PutCommand({
          TableName: table("aggregates"),
          Item: { ...Key, n, seq: String(last.sequence), at: now(), ttl },
          ConditionExpression: before === null ? "attribute_not_exists(pk)" : "seq = :seq",
          ...(before === null ? {} : { ExpressionAttributeValues: { ":seq": String(before.seq) } }),
        }),
      );
      if (before === null) await mergeQuiet(countsPartition(project), counter);
    });
  };

  return {
    total: async (project) => {
      let total = 0;
      const tomorrow = new Date(now() + 86_400_000).toISOString().slice(0, 10);
      const pages = paginateQuery(
        { client },
        {
          TableName: table("aggregates"),
          // Days that have not come, and what never expires: "total" orders behind "expires".
          KeyConditionExpression: "pk = :pk AND sk >= :tomorrow",
          ExpressionAttributeValues: { ":pk": countsPartition(project), ":tomorrow": counterOf(tomorrow) },
        },
      );
      for await (const page of pages) {
        for (const item of page.Items ?? []) if (isCounterSort(item["sk"])) total += v.parse(sum, item).n;
      }
      return total;
    },
    fold: async (shard, changes) => {
      // Nobody reads the counter of a day that is over: its rows are removed at no cost.
      const alive = changes.filter(({ expiry }) => !isGone(expiry, now()));
      const counters = Map.groupBy(alive, ({ project, expiry }) => `${project}#${expiry}`);
      await sideBySide(counters.values(), foldsAtOnce, async ([first, ...others]) => {
        if (first !== undefined) await foldOne(first.project, first.expiry, shard, [first, ...others]);
      });
    },
  };
};

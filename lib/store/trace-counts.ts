import { PutCommand, paginateQuery } from "@aws-sdk/lib-dynamodb";
import { GetCommand } from "@aws-sdk/lib-dynamodb";
import * as v from "valibot";
import type { Database } from "./database.ts";
import { isConditionFailure } from "./failure.ts";

/** A change of the number of traces, as one record of the rows' stream tells it. */
export interface CountChange {
  readonly project: string;
  /** UTC day, `YYYY-MM-DD`. */
  readonly day: string;
  readonly change: 1 | -1;
  /** The record's sequence number, rising within its shard. */
  readonly sequence: bigint;
}

export interface TraceCounts {
  /** Traces of a project; may lag writes by seconds. */
  total(project: string): Promise<number>;
  /** Folds changes of one stream shard, each exactly once however often and however cut they are delivered. */
  fold(shard: string, changes: readonly CountChange[]): Promise<void>;
}

const partition = (project: string): string => `${project}#traces`;
const partial = v.object({
  n: v.number(),
  seq: v.pipe(
    v.string(),
    v.transform((text) => BigInt(text)),
  ),
});

/** Folders of the same shard meet only when one of them is late. */
const maxAttempts = 5;

/**
 * Counters as partial sums, one for each counter and stream shard, with the last sequence number that went in: what
 * is at or below it was counted before.
 */
export const traceCounts = ({ client, table }: Database): TraceCounts => {
  const foldOne = async (project: string, sort: string, changes: readonly CountChange[]): Promise<void> => {
    const Key = { pk: partition(project), sk: sort };
    for (let attempt = 0; attempt < maxAttempts; attempt += 1) {
      const { Item } = await client.send(new GetCommand({ TableName: table("aggregates"), Key, ConsistentRead: true }));
      const before = Item === undefined ? null : v.parse(partial, Item);
      const fresh = changes.filter(({ sequence }) => before === null || sequence > before.seq);
      const last = fresh.at(-1);
      if (last === undefined) return;
      const sum = fresh.reduce((total, { change }) => total + change, before?.n ?? 0);
      try {
        await client.send(
          new PutCommand({
            TableName: table("aggregates"),
            Item: { ...Key, n: sum, seq: String(last.sequence) },
            ConditionExpression: before === null ? "attribute_not_exists(pk)" : "seq = :seq",
            ...(before === null ? {} : { ExpressionAttributeValues: { ":seq": String(before.seq) } }),
          }),
        );
        return;
      } catch (error) {
        if (!isConditionFailure(error)) throw error;
      }
    }
    throw new Error("A trace counter moved at every attempt to fold into it.");
  };

  return {
    total: async (project) => {
      let total = 0;
      const pages = paginateQuery(
        { client },
        {
          TableName: table("aggregates"),
          KeyConditionExpression: "pk = :pk AND begins_with(sk, :total)",
          ExpressionAttributeValues: { ":pk": partition(project), ":total": "total#" },
        },
      );
      for await (const page of pages) {
        for (const item of page.Items ?? []) total += v.parse(partial, item).n;
      }
      return total;
    },
    fold: async (shard, changes) => {
      const counters = new Map<string, { project: string; sort: string; changes: CountChange[] }>();
      for (const change of changes) {
        for (const sort of [`total#${shard}`, `day#${change.day}#${shard}`]) {
          const key = `${change.project}#${sort}`;
          const counter = counters.get(key) ?? { project: change.project, sort, changes: [] };
          counter.changes.push(change);
          counters.set(key, counter);
        }
      }
      for (const { project, sort, changes: own } of counters.values()) await foldOne(project, sort, own);
    },
  };
};

import { createHash } from "node:crypto";
import { paginateQuery, TransactWriteCommand } from "@aws-sdk/lib-dynamodb";
import * as v from "valibot";
import { mergedSort } from "./counter-merge.ts";
import type { Database } from "./database.ts";
import { succeeds } from "./failure.ts";

/** A transaction has 100 actions; one of them is the sum. */
const mostPartials = 99;

/** A counter is of use for a day longer than what it counts. */
const graceSeconds = 86_400;

const partial = v.object({ sk: v.string(), n: v.number(), seq: v.optional(v.string()), ttl: v.optional(v.number()) });

/** What was counted anew for a counter, and when that expires, epoch seconds; absent: it is kept. */
interface Counted {
  readonly n: number;
  readonly ttl?: number | undefined;
}

/** A counter whose partials do not add up to what it counts. */
export interface CounterDifference {
  readonly counter: string;
  readonly missing: number;
  readonly ttl: number | undefined;
  readonly partials: readonly v.InferOutput<typeof partial>[];
  /** The same as long as neither the counter nor what it counts has moved. */
  readonly print: string;
}

/** Begins the sort keys of partials: what a counter is called. */
const counterIn = (sort: string): string => sort.slice(0, sort.lastIndexOf("#") + 1);

/** Compares folded counters with what was counted anew, and mends them. */
export const counterAudit = ({ client, table }: Database) => {
  const TableName = table("aggregates");
  return {
    /**
     * The counters of a partition that are not what was counted.
     *
     * @param isTold whether somebody reads a counter that begins so.
     */
    differences: async (
      pk: string,
      counted: ReadonlyMap<string, Counted>,
      isTold: (counter: string) => boolean,
    ): Promise<readonly CounterDifference[]> => {
      const partials: v.InferOutput<typeof partial>[] = [];
      const input = {
        TableName,
        KeyConditionExpression: "pk = :pk",
        ExpressionAttributeValues: { ":pk": pk },
        ConsistentRead: true,
      };
      for await (const { Items = [] } of paginateQuery({ client }, input)) {
        for (const item of Items) if (isTold(counterIn(String(item["sk"])))) partials.push(v.parse(partial, item));
      }
      const byCounter = Map.groupBy(partials, ({ sk }) => counterIn(sk));
      return [...new Set([...byCounter.keys(), ...counted.keys()])].filter(isTold).flatMap((counter) => {
        const [own, found] = [byCounter.get(counter) ?? [], counted.get(counter)];
        const missing = (found?.n ?? 0) - own.reduce((sum, { n }) => sum + n, 0);
        if (missing === 0) return [];
        const print = createHash("sha256")
          .update(JSON.stringify([found?.n, own]))
          .digest("base64url");
        const ttl = found?.ttl === undefined ? own[0]?.ttl : found.ttl + graceSeconds;
        return [{ counter, missing, ttl, partials: own, print }];
      });
    },

    /** Adds what is missing where the counter is merged, as long as it has not moved. @returns whether it was added. */
    mend: async (pk: string, { counter, missing, ttl, partials }: CounterDifference): Promise<boolean> => {
      if (partials.length > mostPartials) return false;
      const sk = mergedSort(counter);
      const before = partials.find((each) => each.sk === sk);
      const unmoved = partials
        .filter((each) => each !== before)
        .map(({ sk: other, n }) => ({
          ConditionCheck: {
            TableName,
            Key: { pk, sk: other },
            ConditionExpression: "n = :n",
            ExpressionAttributeValues: { ":n": n },
          },
        }));
      const Put = {
        TableName,
        Item: { ...before, pk, sk, n: missing + (before?.n ?? 0), ttl },
        ConditionExpression: before === undefined ? "attribute_not_exists(pk)" : "n = :n",
        ...(before !== undefined && { ExpressionAttributeValues: { ":n": before.n } }),
      };
      return await succeeds(client.send(new TransactWriteCommand({ TransactItems: [{ Put }, ...unmoved] })));
    },
  };
};

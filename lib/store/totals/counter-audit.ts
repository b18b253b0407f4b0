import { createHash } from "node:crypto";
import { paginateQuery, TransactWriteCommand } from "@aws-sdk/lib-dynamodb";
import * as v from "valibot";
import { mergedSort } from "./counter-merge.ts";
import type { Database } from "../../dynamo/database.ts";
import { succeeds } from "../../dynamo/failure.ts";

/** Partial sums that one repair checks: a transaction has 100 actions, and one writes the sum. */
const maxPartials = 99;

/** Seconds a counter is kept after the items that it counts have expired. */
const expiryGraceSeconds = 86_400;

const partial = v.object({ sk: v.string(), n: v.number(), seq: v.optional(v.string()), ttl: v.optional(v.number()) });

/**
 * A counter's total recounted from its items, and the expiry of those items in epoch seconds; `ttl` is absent if they
 * never expire.
 */
interface CountedTotal {
  readonly n: number;
  readonly ttl?: number | undefined;
}

/** A counter whose partial sums differ from the recounted total. */
export interface CounterDifference {
  readonly counter: string;
  readonly missing: number;
  readonly ttl: number | undefined;
  readonly partials: readonly v.InferOutput<typeof partial>[];
  /** SHA-256 hash of the total and the partial sums: it stays the same as long as neither of them changes. */
  readonly fingerprint: string;
}

/** Returns the counter name that prefixes a partial sum's sort key, `#` included. */
const counterPrefixOf = (sort: string): string => sort.slice(0, sort.lastIndexOf("#") + 1);

/** Compares counters that were folded from a stream with totals recounted from the items, and repairs them. */
export const counterAudit = ({ client, table }: Database) => {
  const TableName = table("aggregates");
  return {
    /**
     * Returns the counters of a partition whose partial sums differ from the recounted totals.
     *
     * @param isRead true for a counter prefix that some reader still sums; other counters are ignored.
     */
    differences: async (
      pk: string,
      countedTotals: ReadonlyMap<string, CountedTotal>,
      isRead: (counter: string) => boolean,
    ): Promise<readonly CounterDifference[]> => {
      const partials: v.InferOutput<typeof partial>[] = [];
      const input = {
        TableName,
        KeyConditionExpression: "pk = :pk",
        ExpressionAttributeValues: { ":pk": pk },
        ConsistentRead: true,
      };
      for await (const { Items = [] } of paginateQuery({ client }, input)) {
        for (const item of Items)
          if (isRead(counterPrefixOf(String(item["sk"])))) partials.push(v.parse(partial, item));
      }
      const byCounter = Map.groupBy(partials, ({ sk }) => counterPrefixOf(sk));
      return [...new Set([...byCounter.keys(), ...countedTotals.keys()])].filter(isRead).flatMap((counter) => {
        const [partialsOfCounter, countedTotal] = [byCounter.get(counter) ?? [], countedTotals.get(counter)];
        const missing = (countedTotal?.n ?? 0) - partialsOfCounter.reduce((sum, { n }) => sum + n, 0);
        if (missing === 0) return [];
        const fingerprint = createHash("sha256")
          .update(JSON.stringify([countedTotal?.n, partialsOfCounter]))
          .digest("base64url");
        const ttl = countedTotal?.ttl === undefined ? partialsOfCounter[0]?.ttl : countedTotal.ttl + expiryGraceSeconds;
        return [{ counter, missing, ttl, partials: partialsOfCounter, fingerprint }];
      });
    },

    /**
     * Adds the missing amount to the counter's merged partial sum, on condition that no partial sum has changed.
     *
     * @returns false if one has changed, or the counter has more than 99 partial sums.
     */
    repair: async (pk: string, { counter, missing, ttl, partials }: CounterDifference): Promise<boolean> => {
      if (partials.length > maxPartials) return false;
      const sk = mergedSort(counter);
      const before = partials.find((each) => each.sk === sk);
      const unchangedChecks = partials
        .filter((each) => each !== before)
        .map(({ sk: otherSort, n }) => ({
          ConditionCheck: {
            TableName,
            Key: { pk, sk: otherSort },
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
      return await succeeds(client.send(new TransactWriteCommand({ TransactItems: [{ Put }, ...unchangedChecks] })));
    },
  };
};

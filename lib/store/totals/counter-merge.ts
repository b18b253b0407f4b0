import * as v from "valibot";
import type { Database } from "../../dynamo/database.ts";
import { succeeds } from "../../dynamo/failure.ts";
import { itemsOf } from "../../dynamo/items.ts";

const partial = v.object({
  sk: v.string(),
  n: v.number(),
  seq: v.string(),
  at: v.number(),
  ttl: v.optional(v.number()),
});

/**
 * Milliseconds without a change after which a partial sum is final: DynamoDB streams redeliver records for 24 hours
 * at most.
 */
const quietMilliseconds = 25 * 3_600_000;

/** Partial sums merged in one transaction: it has 100 actions, and one writes the sum. */
const maxMergedPartials = 99;

/** Sort key of a counter's merged partial sum; "base" is never the name of a stream shard. */
export const mergedSort = (counter: string): string => `${counter}base`;

/**
 * Returns a function that merges a counter's partial sums which have not changed for 25 hours, so that the counter
 * does not grow with every new stream shard. One transaction moves them: at any time each is counted exactly once.
 */
export const counterMerge =
  (database: Database, now: () => number) =>
  async (pk: string, counter: string): Promise<void> => {
    const aggregates = itemsOf(database, "aggregates");
    const quietPartials: v.InferOutput<typeof partial>[] = [];
    for await (const rawItem of aggregates.query({ pk, prefix: counter })) {
      if (rawItem["sk"] === mergedSort(counter)) continue;
      const item = v.parse(partial, rawItem);
      if (item.at < now() - quietMilliseconds) quietPartials.push(item);
    }
    const mergedPartials = quietPartials.slice(0, maxMergedPartials);
    const [first] = mergedPartials;
    if (first === undefined) return;
    // A refused transaction means that another worker is merging or a late record arrived; the merge is retried when
    // the next partial sum is stored.
    await succeeds(
      aggregates.transact([
        {
          update: { pk, sk: mergedSort(counter) },
          change: first.ttl === undefined ? "ADD n :sum" : "SET #ttl = :ttl ADD n :sum",
          values: { ":sum": mergedPartials.reduce((sum, { n }) => sum + n, 0), ":ttl": first.ttl },
        },
        ...mergedPartials.map(({ sk, seq }) => ({ remove: { pk, sk }, when: "seq = :seq", values: { ":seq": seq } })),
      ]),
    );
  };

import { TransactWriteCommand, paginateQuery } from "@aws-sdk/lib-dynamodb";
import * as v from "valibot";
import type { Database } from "./database.ts";
import { succeeds } from "./failure.ts";

const partial = v.object({
  sk: v.string(),
  n: v.number(),
  seq: v.string(),
  at: v.number(),
  ttl: v.optional(v.number()),
});

/** Streams keep records for 24 hours: after this nothing of a quiet shard can be delivered again. */
const quietMilliseconds = 25 * 3_600_000;

/** Partials that go in at once: a transaction has 100 actions, the sum is one of them. */
const mostAtOnce = 99;

/** Sort key of what partials of a counter were merged into; "base" is nobody's shard. */
export const mergedSort = (counter: string): string => `${counter}base`;

/**
 * Makes the function that merges the partials of a counter into which nothing has been folded for 25 hours, so that a
 * counter does not grow with every new shard. In one transaction: each is counted in its own place or in the sum.
 */
export const counterMerge =
  ({ client, table }: Database, now: () => number) =>
  async (pk: string, counter: string): Promise<void> => {
    const TableName = table("aggregates");
    const quiet: v.InferOutput<typeof partial>[] = [];
    const pages = paginateQuery(
      { client },
      {
        TableName,
        KeyConditionExpression: "pk = :pk AND begins_with(sk, :counter)",
        ExpressionAttributeValues: { ":pk": pk, ":counter": counter },
        ConsistentRead: true,
      },
    );
    for await (const page of pages) {
      for (const item of page.Items ?? []) {
        if (item["sk"] === mergedSort(counter)) continue;
        const found = v.parse(partial, item);
        if (found.at < now() - quietMilliseconds) quiet.push(found);
      }
    }
    const merged = quiet.slice(0, mostAtOnce);
    const [first] = merged;
    if (first === undefined) return;
    // Not held: somebody else is merging them, or a record came after all. The next new partial tries again.
    await succeeds(
      client.send(
        new TransactWriteCommand({
          TransactItems: [
            {
              Update: {
                TableName,
                Key: { pk, sk: mergedSort(counter) },
                UpdateExpression: first.ttl === undefined ? "ADD n :sum" : "SET #ttl = :ttl ADD n :sum",
                ...(first.ttl === undefined ? {} : { ExpressionAttributeNames: { "#ttl": "ttl" } }),
                ExpressionAttributeValues: {
                  ":sum": merged.reduce((sum, { n }) => sum + n, 0),
                  ...(first.ttl === undefined ? {} : { ":ttl": first.ttl }),
                },
              },
            },
            ...merged.map(({ sk, seq }) => ({
              Delete: {
                TableName,
                Key: { pk, sk },
                ConditionExpression: "seq = :seq",
                ExpressionAttributeValues: { ":seq": seq },
              },
            })),
          ],
        }),
      ),
    );
  };

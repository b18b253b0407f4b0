import type { AccessKey } from "./keys.ts";
import { withRetries, throwUnavailable } from "../../dynamo/with-retries.ts";
import { batchGet } from "../../dynamo/batches.ts";
import type { Database } from "../../dynamo/database.ts";
import { failedConditions } from "../../dynamo/failure.ts";
import { itemsOf, type Item, type Write } from "../../dynamo/items.ts";
import { requestRetryPolicy } from "../../dynamo/retry-policies.ts";

/** Condition expression: the organization or project exists and is not deleted. */
export const ifNotDeleted = "attribute_exists(pk) AND attribute_not_exists(deleted_at)";

/** True if an organization or project item exists and is not marked as deleted. */
export const isAlive = (item: Item | undefined): boolean => item !== undefined && item["deleted_at"] === undefined;

/** Reads and writes of the table `access`. */
export const accessItems = (database: Database) => {
  const items = itemsOf(database, "access");

  return {
    ...items,

    /** Reads items by their keys in one request, strongly consistent; undefined for a key without an item. */
    getAll: async (keys: readonly AccessKey[]): Promise<readonly (Item | undefined)[]> => {
      const storedItems = await batchGet(database, "access", keys);
      return keys.map(({ pk, sk }) => storedItems.find((item) => item["pk"] === pk && item["sk"] === sk));
    },

    /**
     * Writes all items or none, and retries on conflicts with other transactions.
     *
     * @returns the positions of the writes whose condition failed; empty when all was written.
     * @throws Refusal `unavailable` when every attempt conflicted.
     */
    write: (writes: readonly Write[]): Promise<ReadonlySet<number>> =>
      withRetries(requestRetryPolicy, throwUnavailable("Others are changing the same thing. Try again."), () =>
        failedConditions(items.transact(writes)),
      ),
  };
};

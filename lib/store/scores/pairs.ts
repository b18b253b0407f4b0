import { withRetries, throwContention } from "../../dynamo/with-retries.ts";
import type { Database } from "../../dynamo/database.ts";
import { itemsOf, type Item, type Write } from "../../dynamo/items.ts";
import { isThrottled, failedConditions } from "../../dynamo/failure.ts";
import { workerRetryPolicy } from "../../dynamo/retry-policies.ts";

/** Keys of a score and of its copy. */
export interface ScorePair {
  readonly score: Item;
  readonly copy: Item;
}

/** Pairs per transaction, which can have 100 actions. */
const groupSize = 50;

/**
 * Deletes scores with their copies, each pair in one transaction. Absent items are no error.
 *
 * @param condition condition for the deletion of a score; where it fails, only the copy is deleted.
 */
export const deletePairs = async (
  database: Database,
  pairs: readonly ScorePair[],
  condition: Pick<Write, "when" | "values"> = {},
): Promise<void> => {
  const contention = throwContention("The scores changed during every attempt to delete them.");

  /**
   * Deletes a group of pairs in one transaction.
   *
   * @param undeleted pairs of the group whose scores must still be deleted; of the others only the copy is deleted.
   */
  const deleteAtOnce = async (group: readonly ScorePair[], undeleted = group): Promise<void> => {
    const writes = [
      ...undeleted.map(({ score }) => ({ remove: score, ...condition })),
      ...group.map(({ copy }) => ({ remove: copy })),
    ];
    const failedWrites = await withRetries(workerRetryPolicy, contention, () =>
      failedConditions(itemsOf(database, "scores").transact(writes)),
    );
    if (failedWrites.size === 0) return;
    await deleteAtOnce(
      group,
      undeleted.filter((_, index) => !failedWrites.has(index)),
    );
  };

  /** Deletes a group, in halves while DynamoDB throttles. */
  const deleteGroup = async (group: readonly ScorePair[]): Promise<void> => {
    try {
      await deleteAtOnce(group);
    } catch (error) {
      if (!isThrottled(error) || group.length === 1) throw error;
      const half = Math.ceil(group.length / 2);
      await deleteGroup(group.slice(0, half));
      await deleteGroup(group.slice(half));
    }
  };
  for (let start = 0; start < pairs.length; start += groupSize) {
    await deleteGroup(pairs.slice(start, start + groupSize));
  }
};

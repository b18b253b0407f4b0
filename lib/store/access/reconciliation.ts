import * as v from "valibot";
import type { Database } from "../../dynamo/database.ts";
import { succeeds } from "../../dynamo/failure.ts";
import { itemsOf } from "../../dynamo/items.ts";
import { reconciliationKey } from "./keys.ts";

const hourMilliseconds = 3_600_000;

const item = v.object({ next_at: v.number() });

/**
 * Log fields of an attempt to start the reconciliation of the access table; `reconciliationCalled` is true if it was
 * started.
 */
export interface ReconciliationTriggerResult {
  readonly reconciliationCalled: boolean;
}

/**
 * Returns a function that starts, at most once an hour, the reconciliation of the access table: a worker's check and
 * repair of API Gateway keys, sign-in keys and expiries. It writes an item that the table's stream passes to the
 * worker.
 */
export const reconciliationTrigger = (database: Database, now: () => number = Date.now) => {
  const { get, update } = itemsOf(database, "access");
  return async (): Promise<ReconciliationTriggerResult> => {
    const at = now();
    // A cheap eventually consistent read first: in 59 of 60 calls the reconciliation is not due.
    const current = await get(reconciliationKey, { strongly: false });
    if (current !== undefined && v.parse(item, current).next_at > at) return { reconciliationCalled: false };
    const reconciliationCalled = await succeeds(
      update(reconciliationKey, "SET next_at = :next", {
        when: "attribute_not_exists(next_at) OR next_at <= :now",
        values: { ":next": at + hourMilliseconds, ":now": at },
      }),
    );
    return { reconciliationCalled };
  };
};

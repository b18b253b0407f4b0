import type { Database } from "../../dynamo/database.ts";
import { succeeds } from "../../dynamo/failure.ts";
import { itemsOf } from "../../dynamo/items.ts";

const dayMilliseconds = 86_400_000;

const claimKey = { pk: "sum-sample", sk: "turn" };

/**
 * Daily claim by which one worker compares a sample of hourly sums with trace rows. A worker that crashes leaves the
 * comparison to the next day.
 */
export const sampleClaim = (database: Database, now: () => number) => ({
  /** Claims the comparison. @returns true for one caller a day. */
  claim: (): Promise<boolean> => {
    const at = now();
    return succeeds(
      itemsOf(database, "aggregates").update(claimKey, "SET next_at = :next", {
        when: "attribute_not_exists(next_at) OR next_at <= :now",
        values: { ":next": at + dayMilliseconds, ":now": at },
      }),
    );
  },
});

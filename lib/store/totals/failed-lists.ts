import * as v from "valibot";
import type { Database } from "../../dynamo/database.ts";
import { itemsOf } from "../../dynamo/items.ts";

/** What a scan of all tables adds to items of earlier versions: entries in the lists of failures, and numbers of scores. */
type AddedByScan = "failed-lists" | "score-numbers";

const state = v.object({ since: v.number(), complete: v.optional(v.boolean(), false) });

/** Milliseconds after the first pass of a sweeper of this version in which functions of an earlier version may run. */
const upgradeMilliseconds = 3_600_000;

/**
 * State of the sparse lists of failed runs and scores, or of the numbers of scores. Writers enter what fails; what an earlier version stored is
 * entered by a scan of all tables. Until that scan has ended, readers use the lists of all runs and scores.
 */
export const failedLists = (database: Database, now: () => number = Date.now, pk: AddedByScan = "failed-lists") => {
  const key = { pk, sk: "state" };
  const aggregates = itemsOf(database, "aggregates");
  // Complete lists stay complete.
  let isKnownComplete = false;

  const read = async () => {
    // Readers of lists may query this table, but not get items of it.
    const { items } = await aggregates.page({ pk: key.pk, between: [key.sk, key.sk] });
    return items.length === 0 ? null : v.parse(state, items[0]);
  };

  return {
    /** True if the lists contain all failed runs and scores. */
    isComplete: async (): Promise<boolean> => {
      isKnownComplete ||= (await read())?.complete === true;
      return isKnownComplete;
    },

    /**
     * Returns the time from which a scan must begin to complete the lists, epoch milliseconds; null if they are
     * complete.
     *
     * @param isNew true if no sweeper has run before: nothing was stored by an earlier version.
     */
    scanFrom: async (isNew: boolean): Promise<number | null> => {
      if (isKnownComplete) return null;
      const stored = await read();
      if (stored === null) await aggregates.put({ ...key, since: now(), complete: isNew });
      isKnownComplete = stored?.complete ?? isNew;
      return isKnownComplete ? null : (stored?.since ?? now()) + upgradeMilliseconds;
    },

    /** Records that the lists are complete. */
    complete: async (): Promise<void> => {
      await aggregates.update(key, "SET complete = :true", { values: { ":true": true } });
    },
  };
};

import type { Database } from "../../dynamo/database.ts";
import { eraseItems, type Erase } from "../../dynamo/erase-items.ts";
import { failedConditions } from "../../dynamo/failure.ts";
import { itemsOf } from "../../dynamo/items.ts";
import { workerRetryPolicy } from "../../dynamo/retry-policies.ts";
import { throwContention, tryAgain, withRetries } from "../../dynamo/with-retries.ts";
import type { ErasedTraces } from "./erased-traces.ts";
import { revisionAt, unpackEntry } from "../datasets/codec.ts";
import { datasetKey, entryKey, placeKey, revisionKey } from "../datasets/keys.ts";
import { userItems } from "../datasets/user-items.ts";

const contention = throwContention("An item of a dataset changed during every attempt to erase it.");

/**
 * Removes the items of datasets that were made of the user's traces, with all their revisions. Items of earlier versions do not name their
 * user: they are found by their traces, unless these were deleted before.
 */
export const eraseItemsOfUser = (database: Database, pseudonym: string, erased: ErasedTraces): Erase => {
  const [walk, stored] = [userItems(database), itemsOf(database, "monitors")];

  /** Removes an item: last of all the revisions by which it was found. @returns the number of its revisions. */
  const eraseItem = async (project: string, dataset: string, id: string, instants: readonly string[]) => {
    const keysOf = (revisions: readonly string[]) => revisions.map((at) => revisionKey(project, dataset, id, at));
    const others = await withRetries(workerRetryPolicy, contention, async () => {
      const item = await stored.get(entryKey(project, dataset, id));
      if (item === undefined) return 0;
      const entry = unpackEntry(item);
      const rest = entry.revisions.filter((each) => !each.startsWith("-") && !instants.includes(each));
      await eraseItems(database, "monitors", keysOf(rest));
      const failedWrites = await failedConditions(
        stored.transact([
          { remove: entryKey(project, dataset, id), when: "r = :r", values: { ":r": entry.revisions } },
          { remove: placeKey(project, id, dataset) },
          {
            update: datasetKey(project, dataset),
            change: "ADD n :less",
            when: "attribute_exists(pk)",
            values: { ":less": revisionAt(entry) === null ? 0 : -1 },
          },
        ]),
      );
      return failedWrites.has(0) ? tryAgain : rest.length;
    });
    return others + (await eraseItems(database, "monitors", keysOf(instants)));
  };

  return async function* (project, place = null) {
    for await (const page of walk(project, pseudonym, erased.among, place)) {
      for (const [id, revisions] of Map.groupBy(page.revisions, (revision) => revision.id)) {
        const instants = revisions.map(({ revisedAt }) => revisedAt);
        yield await eraseItem(project, page.dataset, id, instants);
      }
      yield { place: page.place };
    }
  };
};

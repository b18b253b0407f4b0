import type { Database } from "../dynamo/database.ts";
import { succeeds } from "../dynamo/failure.ts";
import { itemsOf } from "../dynamo/items.ts";
import type { ProjectTable, ScannedItem } from "../store/deletion/table-scan.ts";
import { failedRunsPartition, listOfPartition } from "../store/runs/keys.ts";
import { failedScoresPartition, idOfOrder, targetOfCopy } from "../store/scores/keys.ts";

/**
 * Returns a function that enters scanned runs and scores into the sparse lists of failures, if an earlier version has
 * stored them without an entry. @returns the number of new entries.
 */
export const failedEntries = (database: Database) => {
  const failed = { ":failed": "FAILED" };

  const enterRun = async ({ pk, sk, list_key: list, open_key, status }: ScannedItem): Promise<boolean> => {
    const listed = sk === "run" && status === "FAILED" && open_key === undefined ? listOfPartition(list ?? "") : null;
    if (listed === null) return false;
    const partition = failedRunsPartition(listed.project, listed.targetType);
    return await succeeds(
      itemsOf(database, "runs").update({ pk, sk }, "SET open_key = :list", {
        when: "#status = :failed AND attribute_not_exists(open_key)",
        values: { ...failed, ":list": partition },
      }),
    );
  };

  const enterScore = async ({ pk, sk, st, time_key }: ScannedItem): Promise<boolean> => {
    const place = st === "FAILED" && time_key === undefined ? targetOfCopy(String(pk)) : null;
    if (place === null) return false;
    const partition = failedScoresPartition(place.target, place.project, idOfOrder(String(sk)));
    return await succeeds(
      itemsOf(database, "scores").update({ pk, sk }, "SET time_key = :list, order_key = :order", {
        when: "st = :failed",
        values: { ...failed, ":list": partition, ":order": sk },
      }),
    );
  };

  return async (table: ProjectTable, items: readonly ScannedItem[]): Promise<number> => {
    const enter = table === "runs" ? enterRun : enterScore;
    let entered = 0;
    if (table === "runs" || table === "scores") for (const item of items) entered += (await enter(item)) ? 1 : 0;
    return entered;
  };
};

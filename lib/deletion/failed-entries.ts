import * as v from "valibot";
import type { Database } from "../dynamo/database.ts";
import { batchGet } from "../dynamo/batches.ts";
import { succeeds } from "../dynamo/failure.ts";
import { itemsOf } from "../dynamo/items.ts";
import type { ProjectTable, ScannedItem } from "../store/deletion/table-scan.ts";
import { failedRunsPartition, listOfPartition } from "../store/runs/keys.ts";
import { countedAttributes, unpackVerdict } from "../store/scores/codec.ts";
import { failedScoresPartition, idOfOrder, targetOfCopy } from "../store/scores/keys.ts";

const packedScore = v.object({ pk: v.string(), sk: v.string(), d: v.instance(Uint8Array) });

/**
 * Returns a function that completes scanned runs and scores which an earlier version has stored: with entries in the sparse
 * lists of failures, and with the number or category of a score, which the table's stream adds to the statistics.
 * @returns the number of new entries.
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

  /** Stores the numbers of BOOLEAN scores, and the categories of CATEGORICAL ones, as attributes that statistics read. */
  const enterNumbers = async (items: readonly ScannedItem[]): Promise<void> => {
    const lacking = items.filter(
      ({ sk, dt, x, cat }) =>
        sk === "score" && (dt === "BOOLEAN" || dt === "CATEGORICAL") && x === undefined && cat === undefined,
    );
    if (lacking.length === 0) return;
    const keys = lacking.map(({ pk, sk }) => ({ pk, sk }));
    for (const item of await batchGet(database, "scores", keys)) {
      const { pk, sk, d } = v.parse(packedScore, item);
      const [attribute] = Object.entries(countedAttributes(unpackVerdict(d)));
      if (attribute === undefined) continue;
      const change = { when: "d = :d", values: { ":d": d, ":value": attribute[1] } };
      await succeeds(itemsOf(database, "scores").update({ pk, sk }, `SET ${attribute[0]} = :value`, change));
    }
  };

  return async (table: ProjectTable, items: readonly ScannedItem[]): Promise<number> => {
    const enter = table === "runs" ? enterRun : enterScore;
    let entered = 0;
    if (table === "runs" || table === "scores") for (const item of items) entered += (await enter(item)) ? 1 : 0;
    if (table === "scores") await enterNumbers(items);
    return entered;
  };
};

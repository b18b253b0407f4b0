import type { Database } from "../../dynamo/database.ts";
import { erasePartition, type Erase } from "../../dynamo/erase-items.ts";
import { itemsOf } from "../../dynamo/items.ts";
import { labelSetKey, labelSetPartition, labelSetsOf, placeOfSet } from "./keys.ts";

/** Erases a project's label sets with their labels. */
export const eraseLabelSets = (database: Database): Erase =>
  async function* (project) {
    const stored = itemsOf(database, "monitors");
    for await (const { pk, sk } of stored.query({ ...labelSetsOf(project), attributes: "pk, sk" })) {
      const { set } = placeOfSet({ pk: String(pk), sk: String(sk) });
      // Marked as deleted, so that requests which are still labelling fail from now on.
      await stored.update(labelSetKey(project, set), "SET x = :true, rev = rev + :one", {
        values: { ":true": true, ":one": 1 },
      });
      yield* erasePartition(database, "monitors", labelSetPartition(project, set));
    }
    yield* erasePartition(database, "monitors", labelSetsOf(project).pk);
  };

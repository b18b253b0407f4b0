import type { Database } from "../../dynamo/database.ts";
import { erasePartition, type Erase } from "../../dynamo/erase-items.ts";
import { itemsOf } from "../../dynamo/items.ts";
import { datasetKey, datasetOfKey, datasetsOf, itemPartitions, placesPartitions } from "./keys.ts";

/** Erases a project's datasets with their items. */
export const eraseDatasets = (database: Database): Erase =>
  async function* (project) {
    const stored = itemsOf(database, "monitors");
    for await (const { sk } of stored.query({ ...datasetsOf(project), attributes: "sk" })) {
      const dataset = datasetOfKey({ sk });
      // Marked as deleted, so that requests which are still adding items fail from now on.
      await stored.update(datasetKey(project, dataset), "SET x = :true", { values: { ":true": true } });
      for (const partition of itemPartitions(project, dataset)) yield* erasePartition(database, "monitors", partition);
    }
    for (const places of placesPartitions(project)) yield* erasePartition(database, "monitors", places);
    yield* erasePartition(database, "monitors", datasetsOf(project).pk);
  };

import type { Database } from "../../dynamo/database.ts";
import { erasePartition, type Erase } from "../../dynamo/erase-items.ts";
import { itemsOf } from "../../dynamo/items.ts";
import { datasetsOf, itemsPartition } from "./keys.ts";

/** Erases a project's datasets with their items. */
export const eraseDatasets = (database: Database): Erase =>
  async function* (project) {
    const heads = itemsOf(database, "monitors").query({ ...datasetsOf(project), attributes: "sk" });
    for await (const { sk } of heads)
      yield* erasePartition(database, "monitors", itemsPartition(project, String(sk).slice("dataset#".length)));
    yield* erasePartition(database, "monitors", datasetsOf(project).pk);
  };

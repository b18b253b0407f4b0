import type { Database } from "../database.ts";
import { erasePartition, type Erase } from "../erase-items.ts";
import { ownMetricsPartition } from "./keys.ts";

/** A project's own metrics, all versions. */
export const eraseOwnMetrics =
  (database: Database): Erase =>
  (project) =>
    erasePartition(database, "monitors", ownMetricsPartition(project));

import type { Database } from "../../dynamo/database.ts";
import { erasePartition, type Erase } from "../../dynamo/erase-items.ts";
import { customMetricsPartition } from "./keys.ts";

/** Erases a project's custom metrics with all versions. */
export const eraseCustomMetrics =
  (database: Database): Erase =>
  (project) =>
    erasePartition(database, "monitors", customMetricsPartition(project));

import type { Database } from "../../dynamo/database.ts";
import { erasePartition, type Erase } from "../../dynamo/erase-items.ts";
import { alertsPartition, alertSumsPartition } from "./keys.ts";

/** Erases a project's alert rules with their states, history and sums. */
export const eraseAlerts = (database: Database): Erase =>
  async function* (project) {
    yield* erasePartition(database, "monitors", alertsPartition(project));
    yield* erasePartition(database, "aggregates", alertSumsPartition(project));
  };

import type { Database } from "../../dynamo/database.ts";
import { erasePartition, keyPages, type Erase } from "../../dynamo/erase-items.ts";
import { monitorCountKey, monitorListPartition } from "./keys.ts";

/** Removes the schedules of a monitor. */
type RemoveSchedule = (project: string, monitor: string) => Promise<void>;

/** Erases a project's monitors with their firings and schedules. */
export const eraseMonitors = (database: Database, removeSchedule: RemoveSchedule): Erase =>
  async function* (project) {
    const index = { name: "by-created", key: "list_key" };
    for await (const monitors of keyPages(database, "monitors", monitorListPartition(project), index)) {
      for (const { pk } of monitors) {
        const [, , monitor = ""] = String(pk).split("#");
        await removeSchedule(project, monitor);
        yield* erasePartition(database, "monitors", pk, "monitor");
      }
    }
    yield* erasePartition(database, "monitors", monitorCountKey(project).pk);
  };

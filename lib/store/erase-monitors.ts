import type { Schedules } from "../monitoring/schedules.ts";
import type { Database } from "./database.ts";
import { erasePartition, keyPages, type Erase } from "./erase-items.ts";
import { monitorListPartition } from "./monitor-keys.ts";

/** A project's monitors with their firings and schedules. */
export const eraseMonitors = (database: Database, schedules: Pick<Schedules, "remove">): Erase =>
  async function* (project) {
    const index = { name: "by-created", key: "list_key" };
    for await (const monitors of keyPages(database, "monitors", monitorListPartition(project), index)) {
      for (const { pk } of monitors) {
        const [, , monitor = ""] = String(pk).split("#");
        await schedules.remove(project, monitor);
        yield* erasePartition(database, "monitors", pk, "monitor");
      }
    }
  };

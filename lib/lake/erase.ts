import type { Erase } from "../dynamo/erase-items.ts";
import { prefixesOf } from "./object-keys.ts";
import type { ObjectStore } from "./object-store.ts";

/** Deletes all files of a project. A writer that reads the project meanwhile stores some once more. */
export const eraseLakeFiles = (objects: Pick<ObjectStore, "list" | "remove">): Erase =>
  async function* (project) {
    for (const prefix of prefixesOf(project))
      for (const key of await objects.list(prefix)) {
        await objects.remove(key);
        yield 1;
      }
  };

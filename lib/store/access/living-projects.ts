import * as v from "valibot";
import { accessItems, isAlive } from "./items.ts";
import { organizationKey, projectKey } from "./keys.ts";
import { batchGet } from "../batch-get.ts";
import type { Database } from "../database.ts";

/** Tells which of some projects are there and not being deleted, strongly read. */
export type LivingProjects = (projects: Iterable<string>) => Promise<ReadonlySet<string>>;

const stored = v.object({ pk: v.string(), deleted_at: v.optional(v.string()) });

export const livingProjects =
  (database: Database): LivingProjects =>
  async (projects) => {
    const ids = [...new Set(projects)];
    const items = (await batchGet(database, "access", ids.map(projectKey))).map((item) => v.parse(stored, item));
    const living = new Set(items.filter((item) => item.deleted_at === undefined).map(({ pk }) => pk));
    return new Set(ids.filter((id) => living.has(projectKey(id).pk)));
  };

const project = v.object({ organization: v.string() });

/** Whether a project is there and neither it nor its organization is being deleted, strongly read. */
export const projectLives = (database: Database) => {
  const { get } = accessItems(database);
  return async (id: string): Promise<boolean> => {
    const item = await get(projectKey(id));
    return isAlive(item) && isAlive(await get(organizationKey(v.parse(project, item).organization)));
  };
};

import * as v from "valibot";
import { accessItems, isAlive } from "./items.ts";
import { organizationKey, projectKey } from "./keys.ts";
import { batchGet } from "../../dynamo/batches.ts";
import type { Database } from "../../dynamo/database.ts";

/** Returns those of the given project ids that exist and are not being deleted, read strongly consistent. */
export type ExistingProjects = (projects: Iterable<string>) => Promise<ReadonlySet<string>>;

const projectItem = v.object({ pk: v.string(), deleted_at: v.optional(v.string()) });

export const existingProjects =
  (database: Database): ExistingProjects =>
  async (projects) => {
    const ids = [...new Set(projects)];
    const items = (await batchGet(database, "access", ids.map(projectKey))).map((item) => v.parse(projectItem, item));
    const existingKeys = new Set(items.filter((item) => item.deleted_at === undefined).map(({ pk }) => pk));
    return new Set(ids.filter((id) => existingKeys.has(projectKey(id).pk)));
  };

const projectOrganization = v.object({ organization: v.string() });

/**
 * Returns a function that reads the organization of a project, strongly consistent; null if the project does not exist, or it or its
 * organization is being deleted.
 */
export const organizationOfLivingProject = (database: Database) => {
  const { get } = accessItems(database);
  return async (id: string): Promise<string | null> => {
    const item = await get(projectKey(id));
    if (!isAlive(item)) return null;
    const { organization } = v.parse(projectOrganization, item);
    return isAlive(await get(organizationKey(organization))) ? organization : null;
  };
};

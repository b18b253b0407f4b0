import * as v from "valibot";
import { accessItems, isAlive } from "./items.ts";
import { organizationKey, projectKey } from "./keys.ts";
import { batchGet } from "../../dynamo/batches.ts";
import type { Database } from "../../dynamo/database.ts";

/**
 * Returns those of the given project ids that exist and are not being deleted. An existing project is remembered for five
 * seconds: what is written into it meanwhile is found by the second check of its deletion, 16 minutes later.
 */
export type ExistingProjects = (projects: Iterable<string>) => Promise<ReadonlySet<string>>;

const rememberMilliseconds = 5_000;

/** Max remembered projects of a worker. */
const maxRemembered = 10_000;

const projectItem = v.object({ pk: v.string(), deleted_at: v.optional(v.string()) });

export const existingProjects = (database: Database, now: () => number = Date.now): ExistingProjects => {
  const remembered = new Map<string, number>();

  return async (projects) => {
    const [ids, at] = [[...new Set(projects)], now()];
    const unknownIds = ids.filter((id) => (remembered.get(id) ?? 0) <= at);
    const items = await batchGet(database, "access", unknownIds.map(projectKey));
    const parsed = items.map((item) => v.parse(projectItem, item));
    const existingKeys = new Set(parsed.filter((item) => item.deleted_at === undefined).map(({ pk }) => pk));
    if (remembered.size >= maxRemembered) remembered.clear();
    const missing = new Set(unknownIds.filter((id) => !existingKeys.has(projectKey(id).pk)));
    for (const id of unknownIds) {
      if (missing.has(id)) remembered.delete(id);
      else remembered.set(id, at + rememberMilliseconds);
    }
    return new Set(ids).difference(missing);
  };
};

/**
 * Returns a function that tells, strongly consistent, whether a project exists and is not being deleted. An empty item, stored
 * so that slower writers do not win, is stored only then: after the erasure nothing would lead to it.
 */
export const projectExistence = (database: Database) => {
  const { getAll } = accessItems(database);
  return async (id: string): Promise<boolean> => (await getAll([projectKey(id)])).every(isAlive);
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

import * as v from "valibot";
import { batchGet } from "../../dynamo/batches.ts";
import type { Database } from "../../dynamo/database.ts";
import { projectKey } from "./keys.ts";

const project = v.object({ organization: v.string() });

/** Max projects whose organization is cached. A project never changes its organization. */
const maxCached = 5_000;

/** Returns a function that reads the organization id of a project, null when the project does not exist. */
export const organizationsOfProjects = (database: Database): ((project: string) => Promise<string | null>) => {
  const cache = new Map<string, string>();
  return async (id) => {
    const cachedId = cache.get(id);
    if (cachedId !== undefined) return cachedId;
    const [item] = await batchGet(database, "access", [projectKey(id)]);
    if (item === undefined) return null;
    const { organization } = v.parse(project, item);
    if (cache.size >= maxCached) cache.clear();
    cache.set(id, organization);
    return organization;
  };
};

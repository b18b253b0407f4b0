import * as v from "valibot";
import { batchGet } from "../batch-get.ts";
import type { Database } from "../database.ts";
import { projectKey } from "./keys.ts";

const project = v.object({ organization: v.string() });

/** Projects that are remembered: none changes its organization. */
const remembered = 5_000;

/** Finds the organization of a project; null when there is no such project. */
export const organizationsOfProjects = (database: Database): ((project: string) => Promise<string | null>) => {
  const known = new Map<string, string>();
  return async (id) => {
    const before = known.get(id);
    if (before !== undefined) return before;
    const [item] = await batchGet(database, "access", [projectKey(id)]);
    if (item === undefined) return null;
    const { organization } = v.parse(project, item);
    if (known.size >= remembered) known.clear();
    known.set(id, organization);
    return organization;
  };
};

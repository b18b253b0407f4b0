import type { Database } from "../../dynamo/database.ts";
import { lakeManifests } from "./manifests.ts";

/** Milliseconds for which a process remembers whether a day is closed: a day waits longer until its rows are read. */
const rememberMilliseconds = 60_000;

/** Max remembered days of a process. */
const maxRemembered = 10_000;

/**
 * Returns a function that tells whether a UTC day of a project is closing or closed, so that its changes must be marked. The answer may be
 * a minute old.
 */
export const closedDays = (database: Database, now: () => number = Date.now) => {
  const manifests = lakeManifests(database, now);
  const remembered = new Map<string, { readonly until: number; readonly isClosed: boolean }>();
  return async (project: string, day: string): Promise<boolean> => {
    const [key, at] = [`${project}#${day}`, now()];
    const entry = remembered.get(key);
    if (entry !== undefined && at < entry.until) return entry.isClosed;
    const isClosed = (await manifests.get(project, day, false)) !== null;
    if (remembered.size >= maxRemembered) remembered.clear();
    remembered.set(key, { until: at + rememberMilliseconds, isClosed });
    return isClosed;
  };
};

export type ClosedDays = ReturnType<typeof closedDays>;

import { dayOf, endOfDay, instantAt, type Instant } from "../../domain/instant.ts";
import type { Database } from "../../dynamo/database.ts";
import { traceCounts } from "../traces/counts.ts";
import { minWrittenTraces } from "./due-days.ts";
import { lakeManifests } from "./manifests.ts";

/** Milliseconds for which a process remembers how far a day is closed: it waits longer until its rows are read. */
const rememberMilliseconds = 60_000;

/** Max remembered days of a process. */
const maxRemembered = 10_000;

/** How far a UTC day of a project is closing or closed, so that its changes must be marked. */
interface ClosedDay {
  /** End of the closed part, exclusive: that of the day, or where its index of words is to end; null for none. */
  readonly end: Instant | null;
  /** True if the whole day is closed, for traces and their scores. */
  readonly isWhole: boolean;
  /** True for today, if its traces get an index of words before it is over. */
  readonly isIndexed: boolean;
}

/** Returns a function that tells how far a UTC day of a project is closed. The answer may be a minute old. */
export const closedDays = (database: Database, now: () => number = Date.now) => {
  const [manifests, counts] = [lakeManifests(database, now), traceCounts(database, now)];
  const remembered = new Map<string, ClosedDay & { readonly until: number }>();

  const read = async (project: string, day: string): Promise<ClosedDay> => {
    const manifest = await manifests.get(project, day, false);
    if (manifest !== null && manifest.end === null)
      return { end: instantAt(endOfDay(day)), isWhole: true, isIndexed: false };
    const isToday = day === dayOf(instantAt(now()));
    const isIndexed = isToday && (manifest !== null || (await counts.total(project)) >= minWrittenTraces);
    return { end: manifest?.end ?? null, isWhole: false, isIndexed };
  };

  return async (project: string, day: string): Promise<ClosedDay> => {
    const [key, at] = [`${project}#${day}`, now()];
    const entry = remembered.get(key);
    if (entry !== undefined && at < entry.until) return entry;
    const closed = await read(project, day);
    if (remembered.size >= maxRemembered) remembered.clear();
    remembered.set(key, { until: at + rememberMilliseconds, ...closed });
    return closed;
  };
};

export type ClosedDays = ReturnType<typeof closedDays>;

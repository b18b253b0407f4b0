import * as v from "valibot";
import { endOfDay, instantAt, type Instant } from "../domain/instant.ts";
import type { Database } from "../dynamo/database.ts";
import { faultFields, logLine } from "../log.ts";
import { lakeChanges } from "../store/lake/changes.ts";
import { lakeManifests } from "../store/lake/manifests.ts";
import { coversDay, endOfParts } from "../store/lake/day-parts.ts";
import type { WordIndex } from "../store/traces/search/word-index.ts";
import type { WordLookup } from "./word-lookup.ts";

/** Instants of a step of a search: the rows of each are read by themselves, and a page has 2.5 seconds for steps. */
const maxInstants = 200;

const instants = v.array(v.string());

/**
 * Returns the index of words of days, as far as it has been written: of an open day, and of one whose parts are being added, it has the
 * traces before an instant. Traces that have changed since are among those that may have the words.
 *
 * @param lookUp looks words up in the files, such as by a function that has DuckDB.
 */
export const lakeWordIndex = (database: Database, lookUp: (lookup: WordLookup) => Promise<unknown>): WordIndex => {
  const [changes, manifests] = [lakeChanges(database), lakeManifests(database)];

  /** Reads the parts of a day's index; null if it does not have all traces that start up to an instant. */
  const partsUpTo = async (project: string, day: string, last: Instant, strongly: boolean) => {
    const [{ words } = { words: [] }] = await manifests.list(project, day, day, strongly);
    return coversDay(day, words) || last < endOfParts(day, words) ? words : null;
  };

  return async ({ project, day, from, to }, words) => {
    const start = `${day}T00:00:00+00:00`;
    const first = from !== null && from > start ? from : start;
    const end = instantAt(endOfDay(day));
    const last = to < end ? to : end;
    if ((await partsUpTo(project, day, last, false)) === null) return null;
    // Marks before the manifest: a writer clears them after it has published parts that have what they mark.
    const changed = await changes.list(project, day);
    const parts = (await partsUpTo(project, day, last, true))?.filter((part) => part.from <= last && part.to > first);
    if (parts === undefined) return null;
    const lookup = { parts: parts.map(({ key, shards }) => ({ key, shards })), words: [...words] };
    let hits: readonly Instant[];
    try {
      hits = v.parse(instants, await lookUp({ ...lookup, from: first, to: last, limit: maxInstants + 1 }));
    } catch (error) {
      // The documents of the day are searched instead, as on a service without DuckDB.
      logLine("word_lookup_failed", { project_id: project, day, ...faultFields(error) });
      return null;
    }
    const oldest = hits.length <= maxInstants ? first : (hits.at(-1) ?? first);
    const marked = changed
      .filter(({ scoresOnly, startedAt: at }) => !scoresOnly && at >= oldest && at <= last)
      .map(({ startedAt }) => startedAt);
    const candidates = [...new Set([...hits, ...marked])].toSorted().toReversed();
    return { instants: candidates.slice(0, maxInstants), isWhole: candidates.length <= maxInstants };
  };
};

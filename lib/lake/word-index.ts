import * as v from "valibot";
import { endOfDay, instantAt, type Instant } from "../domain/instant.ts";
import type { Database } from "../dynamo/database.ts";
import { faultFields, logLine } from "../log.ts";
import { lakeChanges } from "../store/lake/changes.ts";
import { lakeManifests } from "../store/lake/manifests.ts";
import { coversDay } from "../store/lake/day-parts.ts";
import type { WordIndex } from "../store/traces/search/word-index.ts";
import type { WordLookup } from "./word-lookup.ts";

/** Instants of a step of a search: the rows of each are read by themselves, and a page has 2.5 seconds for steps. */
const maxInstants = 200;

const instants = v.array(v.string());

/**
 * Returns the index of words of closed days. Traces that have changed since it was written are among those that may have the words.
 *
 * @param lookUp looks words up in the files, such as by a function that has DuckDB.
 */
export const lakeWordIndex = (database: Database, lookUp: (lookup: WordLookup) => Promise<unknown>): WordIndex => {
  const [changes, manifests] = [lakeChanges(database), lakeManifests(database)];

  const partsOf = async (project: string, day: string, strongly: boolean) => {
    const [manifest] = await manifests.list(project, day, day, strongly);
    return manifest !== undefined && coversDay(day, manifest.words) ? manifest.words : null;
  };

  return async ({ project, day, from, to }, words) => {
    if ((await partsOf(project, day, false)) === null) return null;
    // Marks before the manifest: a writer clears them after it has published parts that have what they mark.
    const changed = await changes.list(project, day);
    const parts = await partsOf(project, day, true);
    if (parts === null) return null;
    const first = from !== null && from > `${day}T00:00:00+00:00` ? from : `${day}T00:00:00+00:00`;
    const end = instantAt(endOfDay(day));
    const last = to < end ? to : end;
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

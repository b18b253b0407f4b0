import { setTimeout as wait } from "node:timers/promises";
import * as v from "valibot";
import { mapConcurrently } from "../async/map-concurrently.ts";
import { cursorStore } from "../dynamo/cursor.ts";
import type { Database } from "../dynamo/database.ts";
import type { LegacyEntries } from "../store/totals/legacy-entries.ts";
import { legacyRuns } from "../store/runs/legacy-lists.ts";
import { legacyScores } from "../store/scores/legacy-lists.ts";

const [hour, day] = [3_600_000, 86_400_000];

/** Milliseconds until the next pass: after a pass that moved entries, and after one that found none, in case an older version wrote since. */
const [retryInterval, checkInterval] = [hour, 30 * day];

/** Entries per page, and entries moved concurrently. */
const [pageEntries, concurrency] = [500, 10];

/** Min milliseconds for a page with many moved entries: a partition of an index accepts 1,000 writes a second. */
const pageMilliseconds = 1_000;

const state = v.object({
  /** Start of the next pass, epoch milliseconds. */
  nextAt: v.number(),
  /** The unfinished pass: index of its list, position in the list, and number of moved entries. */
  pass: v.nullable(
    v.object({
      list: v.number(),
      from: v.optional(v.record(v.string(), v.unknown())),
      moved: v.number(),
    }),
  ),
});

/** Report of one call of the list migration: number of moved entries. */
export interface ListMigration {
  readonly entries: number;
}

/**
 * Moves list entries of previous versions to the keys whose stream records update the counters: the stream record of the move
 * counts each entry exactly once. Until then lists count such entries while reading.
 */
export const migrateLists = (database: Database, now: () => number = Date.now) => {
  const cursor = cursorStore(database, { table: "aggregates", name: "carry-over", ttlSeconds: (60 * day) / 1000 }, now);
  const lists: readonly LegacyEntries[] = [legacyRuns(database), legacyScores(database)];

  /** @param budget milliseconds of work. */
  return async (budget: number): Promise<ListMigration> => {
    const until = now() + budget;
    const text = await cursor.get();
    const { nextAt, pass } = text === null ? { nextAt: 0, pass: null } : v.parse(state, JSON.parse(text));
    if (pass === null && now() < nextAt) return { entries: 0 };
    let position = pass ?? { list: 0, moved: 0 };
    let entries = 0;
    for (let startedAt = now(), pages = 0; position.list < lists.length; startedAt = now(), pages += 1) {
      if (pages > 0 && startedAt >= until) return { entries };
      const { from } = position;
      const page = await lists[position.list]?.page(from, pageEntries);
      const moved = (await mapConcurrently(page?.moves ?? [], concurrency, (move) => move())).filter(Boolean).length;
      entries += moved;
      position =
        page?.next === undefined
          ? { list: position.list + 1, moved: position.moved + moved }
          : { ...position, from: page.next, moved: position.moved + moved };
      await cursor.set(JSON.stringify({ nextAt, pass: position }));
      const pause = moved < pageEntries / 10 ? 0 : pageMilliseconds - (now() - startedAt);
      if (pause > 0) await wait(pause);
    }
    await cursor.set(
      JSON.stringify({ nextAt: now() + (position.moved > 0 ? retryInterval : checkInterval), pass: null }),
    );
    return { entries };
  };
};

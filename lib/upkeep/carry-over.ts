import { setTimeout as wait } from "node:timers/promises";
import * as v from "valibot";
import { sideBySide } from "../async/side-by-side.ts";
import { cursorStore } from "../store/cursor.ts";
import type { Database } from "../store/database.ts";
import type { FormerEntries } from "../store/former-entries.ts";
import { formerRuns } from "../store/runs/former-lists.ts";
import { formerScores } from "../store/scores/former-lists.ts";

const [hour, day] = [3_600_000, 86_400_000];

/** When the lists are looked through again: soon after something was found, else in case an older version wrote meanwhile. */
const [soon, rest] = [hour, 30 * day];

/** Entries that are looked at at a time, and moved side by side. */
const [pageEntries, width] = [500, 10];

/** A page takes this long at least when much of it is moved: one partition of an index takes 1,000 writes a second. */
const pageMilliseconds = 1_000;

const state = v.object({
  /** When the next pass begins, epoch milliseconds. */
  nextAt: v.number(),
  /** The pass that is under way: the list, where in it, and how many it has moved. */
  pass: v.nullable(
    v.object({
      list: v.number(),
      from: v.optional(v.record(v.string(), v.unknown())),
      moved: v.number(),
    }),
  ),
});

/** What was done. */
export interface CarriedOver {
  readonly entries: number;
}

/**
 * Moves what previous versions have listed to where lists are counted by their streams: each is counted by the record of its
 * move, exactly once. Until then lists count it as they read it.
 */
export const carryingOver = (database: Database, now: () => number = Date.now) => {
  const cursor = cursorStore(database, { table: "aggregates", name: "carry-over", kept: (60 * day) / 1000 }, now);
  const lists: readonly FormerEntries[] = [formerRuns(database), formerScores(database)];

  /** @param budget milliseconds. */
  return async (budget: number): Promise<CarriedOver> => {
    const until = now() + budget;
    const text = await cursor.get();
    const { nextAt, pass } = text === null ? { nextAt: 0, pass: null } : v.parse(state, JSON.parse(text));
    if (pass === null && now() < nextAt) return { entries: 0 };
    let place = pass ?? { list: 0, moved: 0 };
    let entries = 0;
    for (let begun = now(), pages = 0; place.list < lists.length; begun = now(), pages += 1) {
      if (pages > 0 && begun >= until) return { entries };
      const { from } = place;
      const found = await lists[place.list]?.page(from, pageEntries);
      const moved = (await sideBySide(found?.moves ?? [], width, (move) => move())).filter(Boolean).length;
      entries += moved;
      place =
        found?.next === undefined
          ? { list: place.list + 1, moved: place.moved + moved }
          : { ...place, from: found.next, moved: place.moved + moved };
      await cursor.set(JSON.stringify({ nextAt, pass: place }));
      const pause = moved < pageEntries / 10 ? 0 : pageMilliseconds - (now() - begun);
      if (pause > 0) await wait(pause);
    }
    await cursor.set(JSON.stringify({ nextAt: now() + (place.moved > 0 ? soon : rest), pass: null }));
    return { entries };
  };
};

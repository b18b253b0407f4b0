import { dayOf, epochOf, instantAt } from "../../../domain/instant.ts";
import type { Position } from "../../../domain/page.ts";
import { instantPosition } from "../../../domain/page.ts";
import type { TraceFilter } from "../../../domain/traces/filter.ts";
import type { Database } from "../../../dynamo/database.ts";
import { keyOfPosition } from "../lists/row-pages.ts";
import type { PackedTrace } from "../packed-trace.ts";
import { rowScan } from "../row-scan.ts";
import type { WordIndex } from "./word-index.ts";

/** Id before that of any other trace, for the position of a bound. */
export const lowestId = "00000000-0000-0000-0000-000000000000";

const newestFirst = (a: PackedTrace, b: PackedTrace): number => Buffer.compare(b.key, a.key);

const startOfDay = (day: string): string => `${day}T00:00:00+00:00`;

/** Returns the UTC day of the first traces behind a position. */
const dayBehind = (position: Position): string => {
  const { key, id } = instantPosition(position);
  return id === lowestId && key === startOfDay(dayOf(key)) ? dayOf(instantAt(epochOf(key) - 1)) : dayOf(key);
};

/**
 * Returns a function that reads the rows behind a position, within one UTC day, of which the index of words says that their traces may
 * match, newest first, and the position behind what it covers, which is null at the end of the filter's range. It returns null if the day
 * has no index at that position.
 */
export const indexedRows = (database: Database, index: WordIndex, now: () => number) => {
  const scan = rowScan(database, now);
  return async (project: string, { from }: Pick<TraceFilter, "from">, words: readonly string[], start: Position) => {
    const day = dayBehind(start);
    if (from !== null && day < dayOf(from)) return null;
    const hits = await index({ project, day, from, to: instantPosition(start).key }, words);
    if (hits === null) return null;
    const startKey = keyOfPosition(start);
    const rows: PackedTrace[] = [];
    await scan.at(project, hits.instants, { strongly: false, withIncarnations: true }, (row) => {
      if (Buffer.compare(row.key, startKey) < 0) rows.push(row);
    });
    const oldest = hits.isWhole ? startOfDay(day) : (hits.instants.at(-1) ?? startOfDay(day));
    const last = from !== null && from >= oldest ? null : { key: oldest, id: lowestId };
    return { day, rows: rows.sort(newestFirst), last };
  };
};

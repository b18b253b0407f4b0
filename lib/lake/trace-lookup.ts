import * as v from "valibot";
import { endOfDay, instantAt } from "../domain/instant.ts";
import { sortOrders } from "../domain/list-order.ts";
import { byPosition } from "../domain/page.ts";
import { scoreGivers } from "../domain/scores/precedence.ts";
import { TopList } from "../domain/top-list.ts";
import type { TraceFilters } from "../domain/traces/filter.ts";
import { traceSortColumns } from "../domain/traces/sort.ts";
import type { FiledTrace } from "../store/traces/lists/file-days.ts";
import { lowestId } from "../store/traces/search/indexed-rows.ts";
import type { LakeEngine } from "./engine.ts";
import type { FileCopies } from "./file-copies.ts";
import { parquetOf } from "./parquet.ts";
import type { Sql } from "./sql.ts";
import { lakeTraces } from "./trace-list.ts";

/** Milliseconds after which no further days are read: a caller waits for 20 s, and days that were begun take a few. */
const lookupMilliseconds = 12_000;

/** Days whose files are fetched at the same time. */
const daysAtOnce = 4;

const sortKey = v.nullable(v.union([v.string(), v.number()]));

/** Schema of days with the keys of their files, in the order in which they are read; `scores` is null if they are not needed. */
export const dayKeys = v.array(
  v.object({
    day: v.string(),
    traces: v.string(),
    scores: v.nullable(v.string()),
    /** Instants of which all traces are left out. */
    changed: v.array(v.string()),
  }),
);

/** Entries of an event about the matching traces of days. @param filters schema of the filters. */
export const traceEntries = (filters: v.GenericSchema<unknown, TraceFilters>) => ({
  days: dayKeys,
  filters,
  giver: v.optional(v.picklist(scoreGivers)),
});

/** Schema of a cursor's position; null to begin with the first item. */
export const startPosition = v.nullable(v.object({ key: sortKey, id: v.string() }));

/**
 * Event with which the lake's function lists traces, instead of writing. Its caller has the keys of the files from the manifests of the
 * project whose traces it lists.
 *
 * @param filters schema of the filters.
 */
export const traceLookupEvent = (filters: v.GenericSchema<unknown, TraceFilters>) =>
  v.object({
    list: v.object({
      ...traceEntries(filters),
      sortBy: v.picklist([...traceSortColumns, "score"]),
      order: v.picklist(sortOrders),
      sortScore: v.optional(v.string()),
      limit: v.number(),
      after: startPosition,
    }),
  });

export type TraceLookup = v.InferOutput<ReturnType<typeof traceLookupEvent>>["list"];

/** Schema of what a lookup has found: the first traces in their order, the number of all, and how many days were read. */
export const foundTraces = v.object({
  traces: v.array(v.object({ id: v.string(), startedAt: v.string(), key: sortKey })),
  total: v.number(),
  days: v.number(),
});

/** True if a list by start has no traces of a day behind the position of a cursor. */
export const isBefore = (day: string, { sortBy, order, after }: Pick<TraceLookup, "sortBy" | "order" | "after">) => {
  if (sortBy !== "started_at" || after === null) return false;
  const key = String(after.key);
  if (order === "asc") return instantAt(endOfDay(day)) <= key;
  const first = `${day}T00:00:00+00:00`;
  return first > key || (first === key && after.id === lowestId);
};

/** Returns a function that lists the matching traces of days by their files, as many days as it has time for. */
export const traceLookup =
  (copies: FileCopies, engine: LakeEngine, now: () => number = Date.now) =>
  async ({ days, ...query }: TraceLookup): Promise<v.InferOutput<typeof foundTraces>> => {
    const until = now() + lookupMilliseconds;
    const top = new TopList<FiledTrace>(query.limit, byPosition(query.order));
    let [total, read, missing] = [0, 0, query.limit];
    while (read < days.length && (read === 0 || now() < until)) {
      const block = days.slice(read, read + daysAtOnce);
      const keys = block.flatMap(({ traces, scores }) => [traces, ...(scores === null ? [] : [scores])]);
      await copies(keys, async (paths) => {
        const tableOf = (key: string | null): Sql => parquetOf([paths[keys.indexOf(key ?? "")] ?? ""]);
        for (const { day, changed, ...files } of block) {
          const tables = { traces: tableOf(files.traces), scores: tableOf(files.scores) };
          const limit = isBefore(day, query) ? 0 : missing;
          const page = await lakeTraces(engine, tables, { ...query, limit, now: now() }, changed);
          total += page.total;
          for (const trace of page.traces) top.add(trace);
          // Traces of later days come after all of these.
          if (query.sortBy === "started_at") missing -= page.traces.length;
        }
      });
      read += block.length;
    }
    return { traces: top.from(0), total, days: read };
  };

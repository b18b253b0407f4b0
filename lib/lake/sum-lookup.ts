import * as v from "valibot";
import type { HourFigures } from "../domain/analytics/trace-analytics.ts";
import { type ValueCount, valueFields } from "../domain/analytics/value-counts.ts";
import { scoreGivers } from "../domain/scores/precedence.ts";
import type { TraceFilters } from "../domain/traces/filter.ts";
import type { UserTotals } from "../domain/traces/user-summary.ts";
import type { LakeEngine } from "./engine.ts";
import type { FileCopies } from "./file-copies.ts";
import { parquetOf } from "./parquet.ts";
import type { Sql } from "./sql.ts";
import { dayKeys } from "./trace-lookup.ts";
import { lakeFigures, lakeUsers, lakeValues } from "./trace-sums.ts";

/** Bytes of sums that a reply has: a function's reply has 6 MB at most. */
const maxReplyBytes = 5_500_000;

/** Milliseconds for copying files: a caller waits for 20 s, and has no use for the sums of some days. */
const copyMilliseconds = 12_000;

/**
 * Event with which the lake's function sums traces up, instead of writing. Its caller has the keys of the files from the manifests of the
 * project whose traces they are.
 *
 * @param filters schema of the filters.
 */
export const sumLookupEvent = (filters: v.GenericSchema<unknown, TraceFilters>) =>
  v.object({
    sum: v.object({
      days: dayKeys,
      filters,
      giver: v.optional(v.picklist(scoreGivers)),
      /** Sums by hour or by user, or numbers of traces by the value of a field. */
      by: v.picklist(["hour", "user", ...valueFields]),
    }),
  });

const sumsOf = <Schema extends v.GenericSchema>(sum: Schema) => v.nullable(v.array(sum));

export type SumLookup = v.InferOutput<ReturnType<typeof sumLookupEvent>>["sum"];

const counts = { traces: v.number(), errors: v.number() };

const latencies = v.variant("kind", [
  v.object({ kind: v.literal("values"), values: v.array(v.number()) }),
  v.object({ kind: v.literal("sketch"), sketch: v.array(v.tuple([v.number(), v.number()])) }),
]);

/** Schemas of replies: sums by hour, by the value of a field, and by user; null if a reply cannot have them all. */
export const hourSums = sumsOf(
  v.object({ hour: v.string(), figures: v.object({ ...counts, latencySum: v.number(), latencies }) }),
);
export const valueSums = sumsOf(v.object({ value: v.string(), trace_count: v.number(), error_count: v.number() }));
export const userSums = sumsOf(
  v.object({
    ...counts,
    userId: v.string(),
    first: v.string(),
    last: v.string(),
    latency: v.nullable(v.number()),
    tokens: v.number(),
    cost: v.number(),
    unpriced: v.number(),
  }),
);

type Sum = HourFigures | ValueCount | UserTotals;

/**
 * Returns a function that sums the matching traces of days up by their files; null if there are too many sums.
 *
 * It throws an Error if there is no time for the files.
 */
export const sumLookup =
  (copies: FileCopies, engine: LakeEngine, now: () => number = Date.now) =>
  async ({ days, by, ...query }: SumLookup): Promise<readonly Sum[] | null> => {
    const until = now() + copyMilliseconds;
    const keys = days.flatMap(({ traces, scores }) => [traces, ...(scores === null ? [] : [scores])]);
    const sums = await copies(keys, async (paths): Promise<readonly Sum[]> => {
      if (now() > until) throw new Error("There was no time to sum up the files.");
      const tableOf = (key: string | null): Sql => parquetOf([paths[keys.indexOf(key ?? "")] ?? ""]);
      const tables = days.map(({ traces, scores, changed }) => ({
        traces: tableOf(traces),
        scores: tableOf(scores),
        changed,
      }));
      const summed = { ...query, days: tables, now: now() };
      if (by === "hour") return await lakeFigures(engine, summed);
      return by === "user" ? await lakeUsers(engine, summed) : await lakeValues(engine, summed, by);
    });
    return Buffer.byteLength(JSON.stringify(sums)) > maxReplyBytes ? null : sums;
  };

import * as v from "valibot";
import type { Latencies } from "../domain/analytics/latencies.ts";
import type { Sketch } from "../domain/analytics/latency-sketch.ts";
import { valueFields } from "../domain/analytics/value-counts.ts";
import { scoreGivers } from "../domain/scores/precedence.ts";
import type { TraceFilters } from "../domain/traces/filter.ts";
import type { LakeEngine } from "./engine.ts";
import type { FileCopies } from "./file-copies.ts";
import { parquetOf } from "./parquet.ts";
import type { Sql } from "./sql.ts";
import { instantIn } from "./trace-list.ts";
import { dayKeys } from "./trace-lookup.ts";
import { type SummedTraces, sumsSql, unresolvedSql } from "./trace-sums.ts";

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
      /** Sums by hour, by user, or of usage by hour and model; or numbers of traces by the value of a field. */
      by: v.picklist(["hour", "user", "usage", ...valueFields]),
    }),
  });

export type SumLookup = v.InferOutput<ReturnType<typeof sumLookupEvent>>["sum"];

/** Schema of a reply: null if it cannot have all sums. */
const sumsOf = <Schema extends v.GenericSchema>(sum: Schema) => v.nullable(v.array(sum));

const [count, instant] = [v.number(), v.pipe(v.unknown(), v.transform(instantIn))];

const latenciesOf = (pairs: Sketch, isExact: boolean): Latencies =>
  isExact
    ? { kind: "values", values: pairs.flatMap(([value, number]) => Array.from({ length: number }, () => value)) }
    : { kind: "sketch", sketch: pairs };

/** Schemas of replies: sums by hour, by the value of a field, and by user. */
export const hourSums = sumsOf(
  v.pipe(
    v.object({
      hour: v.string(),
      traces: count,
      errors: count,
      latencySum: count,
      isExact: v.boolean(),
      pairs: v.array(v.tuple([count, count])),
    }),
    v.transform(({ hour, isExact, pairs, ...figures }) => ({
      hour,
      figures: { ...figures, latencies: latenciesOf(pairs, isExact) },
    })),
  ),
);
export const valueSums = sumsOf(v.object({ value: v.string(), trace_count: count, error_count: count }));
export const userSums = sumsOf(
  v.object({
    userId: v.string(),
    traces: count,
    first: instant,
    last: instant,
    errors: count,
    latency: v.nullable(count),
    tokens: count,
    cost: count,
    unpriced: count,
  }),
);

/** Usage: the id of a trace whose document has it, or sums of which the cost comes in two parts. */
export const usageSums = sumsOf(
  v.union([
    v.pipe(
      v.object({ traceId: v.string() }),
      v.transform(({ traceId }) => traceId),
    ),
    v.pipe(
      v.object({
        hour: v.string(),
        model: v.nullable(v.string()),
        calls: count,
        promptTokens: count,
        completionTokens: count,
        costs: v.tuple([count, count]),
      }),
      v.transform(({ costs: [cost, rest], ...usage }) => [
        { ...usage, cost },
        { ...usage, calls: 0, promptTokens: 0, completionTokens: 0, cost: rest },
      ]),
    ),
  ]),
);

/**
 * Has copies of the files of days while `work` asks them.
 *
 * @returns the rows of the answer with numbers in place of 64-bit integers; null if a reply cannot have all.
 * @throws Error if there is no time for the files.
 */
export const answerOfFiles = async (
  copies: FileCopies,
  days: SumLookup["days"],
  now: () => number,
  work: (tables: SummedTraces["days"]) => Promise<unknown>,
): Promise<unknown> => {
  const until = now() + copyMilliseconds;
  const keys = days.flatMap(({ traces, scores }) => [traces, ...(scores === null ? [] : [scores])]);
  const answer = await copies(keys, async (paths) => {
    if (now() > until) throw new Error("There was no time to sum up the files.");
    const tableOf = (key: string | null): Sql => parquetOf([paths[keys.indexOf(key ?? "")] ?? ""]);
    return await work(
      days.map(({ traces, scores, changed }) => ({ traces: tableOf(traces), scores: tableOf(scores), changed })),
    );
  });
  const reply = JSON.stringify(answer, (_, value: unknown) => (typeof value === "bigint" ? Number(value) : value));
  return Buffer.byteLength(reply) > maxReplyBytes ? null : JSON.parse(reply);
};

/**
 * Returns a function that sums the matching traces of days up by their files; null if there are too many sums.
 *
 * It throws an Error if there is no time for the files.
 */
export const sumLookup =
  (copies: FileCopies, engine: LakeEngine, now: () => number = Date.now) =>
  ({ days, by, ...query }: SumLookup): Promise<unknown> =>
    answerOfFiles(copies, days, now, async (tables) => {
      const summed = { ...query, days: tables, now: now() };
      const rows = await engine.rows(sumsSql(by, summed));
      const resolved = by === "usage" ? rows.filter(({ hour }) => hour !== null) : rows;
      return resolved.length === rows.length ? rows : [...resolved, ...(await engine.rows(unresolvedSql(summed)))];
    });

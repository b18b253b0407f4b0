import { logGrowth, zeroBin } from "../domain/analytics/latency-sketch.ts";
import { maxExactPerHour, type Latencies } from "../domain/analytics/latencies.ts";
import type { HourFigures } from "../domain/analytics/trace-analytics.ts";
import type { ValueCount, ValueField } from "../domain/analytics/value-counts.ts";
import type { Instant } from "../domain/instant.ts";
import type { ScoreGiver } from "../domain/scores/precedence.ts";
import type { TraceFilters } from "../domain/traces/filter.ts";
import { costScale } from "../domain/traces/span-cost.ts";
import type { UserTotals } from "../domain/traces/user-summary.ts";
import type { LakeEngine } from "./engine.ts";
import { traceFilterSql } from "./filter-sql.ts";
import { joinSql, sql, Sql } from "./sql.ts";
import { instantIn, textOf, unchanged, unexpired } from "./trace-list.ts";

/** Traces of days that are summed up. */
interface SummedTraces {
  /** Table functions with the files of each day, and instants of which all traces are left out. */
  readonly days: readonly { readonly traces: Sql; readonly scores: Sql; readonly changed: readonly Instant[] }[];
  readonly filters: TraceFilters;
  readonly giver?: ScoreGiver | undefined;
  /** Epoch milliseconds: traces that have expired do not match. */
  readonly now: number;
}

/** Returns columns of the matching traces of days; `has_error` is of their status, as for users and analytics. @see withErrorStatus */
const matching = ({ days, giver, now, filters: { has_error: hasError, ...filters } }: SummedTraces, columns: Sql) =>
  joinSql(
    days.map(({ traces, scores, changed }) => {
      const tests = [unexpired(now), traceFilterSql(filters, { scores, giver })];
      if (hasError !== undefined) tests.push(sql`(status = 'ERROR') = ${hasError}`);
      if (changed.length > 0) tests.push(unchanged("started_at", changed));
      return sql`SELECT ${columns} FROM ${traces} WHERE ${joinSql(tests, " AND ")}`;
    }),
    " UNION ALL ",
  );

const numberOf = (value: unknown): number => Number(value ?? 0);

const errors = new Sql("count(*) FILTER (status = 'ERROR')");

/** Latencies in whole microseconds, as figures of rows have them. */
const micros = new Sql("round(latency_ms * 1000)::BIGINT");

const latenciesIn = (pairs: unknown, isExact: boolean): Latencies => {
  const counts = (Array.isArray(pairs) ? pairs : []).map((pair: unknown): readonly [number, number] =>
    Array.isArray(pair) ? [Number(pair[0]), Number(pair[1])] : [0, 0],
  );
  return isExact
    ? { kind: "values", values: counts.flatMap(([value, count]) => Array.from({ length: count }, () => value)) }
    : { kind: "sketch", sketch: counts };
};

/** Sums matching traces up by hour: the same as `figureTally` from rows of the store. */
export const lakeFigures = async (engine: LakeEngine, summed: SummedTraces): Promise<readonly HourFigures[]> => {
  const bin = sql`CASE WHEN micros < 1 THEN ${zeroBin} ELSE ceil(ln(micros) / ${logGrowth}::DOUBLE) END`;
  const rows = await engine.rows(sql`
    WITH matches AS MATERIALIZED (
      ${matching(summed, sql`strftime(started_at AT TIME ZONE 'UTC', '%Y-%m-%dT%H') AS hour, status, ${micros} AS micros`)}
    ), hours AS (
      SELECT hour, count(*) AS traces, ${errors} AS errors, sum(micros) AS latency_sum, count(micros) AS ended
      FROM matches GROUP BY hour
    ), latencies AS (
      SELECT hour, (CASE WHEN ended <= ${maxExactPerHour} THEN micros ELSE ${bin} END)::BIGINT AS value, count(*) AS number
      FROM matches JOIN hours USING (hour) WHERE micros IS NOT NULL GROUP BY ALL
    )
    SELECT hours.*, list([value, number] ORDER BY value) FILTER (value IS NOT NULL) AS pairs
    FROM hours LEFT JOIN latencies USING (hour) GROUP BY ALL`);
  return rows.map(({ hour, traces, errors: failed, latency_sum, ended, pairs }) => ({
    hour: String(hour),
    figures: {
      traces: numberOf(traces),
      errors: numberOf(failed),
      latencySum: numberOf(latency_sum),
      latencies: latenciesIn(pairs, numberOf(ended) <= maxExactPerHour),
    },
  }));
};

/** The values of a trace's field as SQL; those that `valueTally` counts. */
const fieldValues: Readonly<Record<ValueField, string>> = {
  name: "name",
  user_id: "user_id",
  session_id: "session_id",
  tags: "unnest(tags)",
  model: "unnest(models)",
  tool: "unnest(tools)",
  release: "release",
  environment: "environment",
  prompt_name: "unnest(list_distinct(list_transform(prompts, lambda prompt: prompt.name)))",
  experiment: "experiment",
  first_error: "first_error",
};

/** Counts the values of a field of matching traces. */
export const lakeValues = async (
  engine: LakeEngine,
  summed: SummedTraces,
  field: ValueField,
): Promise<readonly ValueCount[]> => {
  const rows = await engine.rows(sql`
    SELECT value, count(*) AS traces, ${errors} AS errors
    FROM (${matching(summed, new Sql(`${fieldValues[field]} AS value, status`))}) WHERE value <> '' GROUP BY value`);
  return rows.map(({ value, traces, errors: failed }) => ({
    value: String(value),
    trace_count: numberOf(traces),
    error_count: numberOf(failed),
  }));
};

const userColumns = new Sql("user_id, started_at, status, latency_ms, tokens, unpriced_tokens, cost_usd");

/** Sums matching traces up by user. Costs are added as whole trillionths of a dollar, in any order the same. */
export const lakeUsers = async (engine: LakeEngine, summed: SummedTraces): Promise<readonly UserTotals[]> => {
  const rows = await engine.rows(sql`
    SELECT user_id, traces, errors, latency, tokens, cost, unpriced, ${textOf("first")} AS first, ${textOf("last")} AS last
    FROM (
      SELECT user_id, count(*) AS traces, ${errors} AS errors, min(started_at) AS first, max(started_at) AS last,
        sum(${micros}) AS latency, sum(tokens) AS tokens, sum(unpriced_tokens) AS unpriced,
        sum(round(cost_usd * ${costScale}::DOUBLE)::HUGEINT) AS cost
      FROM (${matching(summed, userColumns)}) WHERE user_id IS NOT NULL GROUP BY user_id
    )`);
  return rows.map(({ user_id, traces, errors: failed, latency, tokens, cost, unpriced, first, last }) => ({
    userId: String(user_id),
    traces: numberOf(traces),
    first: instantIn(first),
    last: instantIn(last),
    errors: numberOf(failed),
    latency: latency === null ? null : numberOf(latency),
    tokens: numberOf(tokens),
    cost: numberOf(cost) / costScale,
    unpriced: numberOf(unpriced),
  }));
};

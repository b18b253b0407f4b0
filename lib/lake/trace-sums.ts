import { hourOf, hourStart } from "../domain/analytics/bucket.ts";
import { logGrowth, zeroBin } from "../domain/analytics/latency-sketch.ts";
import { maxExactPerHour } from "../domain/analytics/latencies.ts";
import type { ValueField } from "../domain/analytics/value-counts.ts";
import type { Instant } from "../domain/instant.ts";
import { costScale } from "../domain/traces/span-cost.ts";
import { joinSql, sql, Sql } from "./sql.ts";
import { matchTest, textOf, type TraceSelection } from "./trace-list.ts";

/** Traces of days that are summed up. */
export interface SummedTraces extends TraceSelection {
  /** Table functions with the files of each day, and instants of which all traces are left out. */
  readonly days: readonly { readonly traces: Sql; readonly scores: Sql; readonly changed: readonly Instant[] }[];
}

/** Returns columns of the matching traces of days; `has_error` is of their status, as for users and analytics. @see withErrorStatus */
export const matchesSql = (
  { days, filters: { has_error: hasError, ...filters }, ...selection }: SummedTraces,
  columns: Sql,
) =>
  joinSql(
    days.map(({ traces, scores, changed }) => {
      const test = matchTest({ ...selection, filters }, scores, changed);
      const withStatus = hasError === undefined ? test : sql`${test} AND (status = 'ERROR') = ${hasError}`;
      return sql`SELECT ${columns} FROM ${traces} WHERE ${withStatus}`;
    }),
    " UNION ALL ",
  );

const errors = new Sql("count(*) FILTER (status = 'ERROR')");

/** Latencies in whole microseconds, as figures of rows have them. */
const micros = new Sql("round(latency_ms * 1000)::BIGINT AS micros");

const hour = sql`strftime(started_at AT TIME ZONE 'UTC', '%Y-%m-%dT%H') AS hour`;

/** Returns a query for what `figureTally` has of the matching traces of each hour: `pairs` are latencies, or bins of a sketch, with their numbers. */
const hoursSql = (summed: SummedTraces): Sql => {
  const bin = sql`CASE WHEN micros < 1 THEN ${zeroBin} ELSE ceil(ln(micros) / ${logGrowth}::DOUBLE) END`;
  return sql`
    WITH matches AS MATERIALIZED (${matchesSql(summed, sql`${hour}, status, ${micros}`)}), hours AS (
      SELECT hour, count(*) AS traces, ${errors} AS errors, coalesce(sum(micros), 0) AS "latencySum",
        count(micros) <= ${maxExactPerHour} AS "isExact"
      FROM matches GROUP BY hour
    ), latencies AS (
      SELECT hour, (CASE WHEN "isExact" THEN micros ELSE ${bin} END)::BIGINT AS value, count(*) AS number
      FROM matches JOIN hours USING (hour) WHERE micros IS NOT NULL GROUP BY ALL
    )
    SELECT hours.*, coalesce(list([value, number] ORDER BY value) FILTER (value IS NOT NULL), []) AS pairs
    FROM hours LEFT JOIN latencies USING (hour) GROUP BY ALL`;
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

const valuesSql = (summed: SummedTraces, field: ValueField): Sql => sql`
  SELECT value, count(*) AS trace_count, ${errors} AS error_count
  FROM (${matchesSql(summed, new Sql(`${fieldValues[field]} AS value, status`))}) WHERE value <> '' GROUP BY value`;

const userColumns = sql`user_id, started_at, status, ${micros}, tokens, unpriced_tokens, cost_usd`;

/** Returns a query for the `UserTotals` of the matching traces. Costs are added as whole trillionths of a dollar: in any order the same. */
const usersSql = (summed: SummedTraces): Sql => sql`
  SELECT * REPLACE (${textOf("first")} AS first, ${textOf("last")} AS last) FROM (
    SELECT user_id AS "userId", count(*) AS traces, min(started_at) AS first, max(started_at) AS last, ${errors} AS errors,
      sum(micros) AS latency, sum(tokens) AS tokens, sum(unpriced_tokens) AS unpriced,
      sum(round(cost_usd * ${costScale}::DOUBLE)::HUGEINT) / ${costScale}::DOUBLE AS cost
    FROM (${matchesSql(summed, userColumns)}) WHERE user_id IS NOT NULL GROUP BY user_id
  )`;

/** The sum of costs in units of which every double from 1e-11 dollars on is a whole number: in any order the same, and as exact as from rows. */
const costUnits = new Sql("sum((part.cost_usd * pow(2, 90))::HUGEINT)");

/**
 * Returns SQL for the matching traces that have spans in the range of the filter, and for the condition that their rows do not tell which usage
 * lies in it: a bound lies between spans and within an hour, or there is no usage by hour. @see usageWithin
 */
const tracesWithin = (summed: SummedTraces) => {
  const { date_from: from = "0001-01-01T00:00:00+00:00", date_to: to = "9999-12-31T23:59:59+00:00" } = summed.filters;
  const [firstHour, lastHour] = [hourStart(hourOf(from)), hourStart(hourOf(to))];
  return {
    firstHour,
    to,
    traces: sql`(SELECT * FROM (${matchesSql(summed, sql`trace_id, first_span_at, last_span_at, usage`)})
      WHERE last_span_at >= ${from}::TIMESTAMPTZ AND first_span_at < ${to}::TIMESTAMPTZ)`,
    isUnresolved: sql`(usage IS NULL OR (${firstHour !== from} AND first_span_at < ${from}::TIMESTAMPTZ)
      OR (${lastHour !== to} AND last_span_at >= ${to}::TIMESTAMPTZ))`,
  };
};

/**
 * Returns a query for usage by hour and model of the matching traces' spans that started in the range of the filter. A row without an hour shows
 * that there are traces whose documents have it, see `unresolvedSql`: ids are not read without need.
 */
const usageSql = (summed: SummedTraces): Sql => {
  const { firstHour, to, traces, isUnresolved } = tracesWithin(summed);
  return sql`
    SELECT strftime(start AT TIME ZONE 'UTC', '%Y-%m-%dT%H') AS hour, model, calls, "promptTokens", "completionTokens",
      [units::DOUBLE / pow(2, 90), (units - units::DOUBLE::HUGEINT)::DOUBLE / pow(2, 90)] AS costs
    FROM (
      SELECT part.hour AS start, part.model AS model, sum(part.calls) AS calls, sum(part.prompt_tokens) AS "promptTokens",
        sum(part.completion_tokens) AS "completionTokens", ${costUnits} AS units
      FROM (SELECT unnest(CASE WHEN ${isUnresolved} THEN [NULL] ELSE usage END) AS part FROM ${traces})
      WHERE part IS NULL OR (part.hour >= ${firstHour}::TIMESTAMPTZ AND part.hour < ${to}::TIMESTAMPTZ)
      GROUP BY ALL
    )`;
};

/** Returns a query for the ids of the matching traces whose documents tell which usage lies in the range of the filter. */
export const unresolvedSql = (summed: SummedTraces): Sql => {
  const { traces, isUnresolved } = tracesWithin(summed);
  return sql`SELECT trace_id AS "traceId" FROM ${traces} WHERE ${isUnresolved}`;
};

/** Returns a query for sums of the matching traces by hour, by user, by hour and model, or by the value of a field. */
export const sumsSql = (by: "hour" | "user" | "usage" | ValueField, summed: SummedTraces): Sql => {
  if (by === "usage") return usageSql(summed);
  if (by === "hour") return hoursSql(summed);
  return by === "user" ? usersSql(summed) : valuesSql(summed, by);
};

import type { SessionTotalFilters } from "../../domain/sessions/filter.ts";
import type { SessionSortColumn } from "../../domain/sessions/session.ts";
import { foldForSearch } from "../../domain/traces/search/case-folding.ts";
import { costScale } from "../../domain/traces/span-cost.ts";
import type { FiledSessionQuery } from "../../store/traces/lists/file-days.ts";
import { atLeast, atMost, failedSpanSql } from "../filter-sql.ts";
import { joinSql, sql, Sql } from "../sql.ts";
import { behind, textOf, textTable } from "../trace-list.ts";
import { matchesSql, type SummedTraces } from "../trace-sums.ts";
import { shardSql } from "../word-files.ts";

/** The sessions of a lookup: those of the matching traces whose ids are in one of several shares. */
export interface SharedSessions {
  readonly traces: SummedTraces;
  readonly share: { readonly index: number; readonly of: number };
  /** Ids of the share's sessions that also have rows, and are not complete without them. */
  readonly ids: readonly string[];
}

const columns = new Sql(
  "row, session_id, started_at, ended_at, status, failed_spans, user_id, tags, latency_ms, cost_usd, tokens, unpriced_tokens, spans, arrived_at",
);

const inIds = (column: string, ids: readonly string[]): Sql => sql`${new Sql(column)} IN (FROM ${textTable(ids)})`;

/** Returns the condition for traces of a share's sessions. */
const inShare = ({ index, of }: SharedSessions["share"]): Sql =>
  of === 1 ? sql`session_id IS NOT NULL` : sql`${shardSql("session_id", of)} = ${index}`;

/** The totals of a session; DuckDB computes those alone that a query reads. Costs are whole trillionths of a dollar: in any order the same. */
const totals = new Sql(`session_id AS id, count(*) AS count, min(started_at) AS first_at, max(ended_at) AS last_at,
  sum(round(latency_ms * 1000)::BIGINT) AS latency, count(*) FILTER (status = 'ERROR') AS errors,
  bool_or(${failedSpanSql.text}) AS has_failed_span, list_distinct(flatten(list(tags))) AS tags, sum(spans) AS spans,
  first(user_id ORDER BY started_at, row) FILTER (user_id IS NOT NULL) AS user_id,
  min(started_at) FILTER (user_id IS NOT NULL) AS user_at, sum(tokens) AS tokens, sum(unpriced_tokens) AS unpriced,
  sum(round(cost_usd * ${costScale}::DOUBLE)::HUGEINT) / ${costScale}::DOUBLE AS cost, epoch_ms(max(arrived_at)) AS arrival`);

/** Returns a query for the totals of sessions. @param test condition for their traces. */
const sessionsSql = (traces: SummedTraces, test: Sql): Sql =>
  sql`SELECT ${totals} FROM (${matchesSql(traces, columns)}) WHERE ${test} GROUP BY session_id`;

/** Sort keys as SQL; those of `sessionSortKey`, rounded as totals are. */
const sortKeys: Readonly<Record<SessionSortColumn, string>> = {
  recent: "arrival",
  trace_count: "count",
  latency: "latency / 1000",
  cost: `round(cost * ${costScale}::DOUBLE) / ${costScale}::DOUBLE`,
  tokens: `least(tokens, ${Number.MAX_SAFE_INTEGER})`,
  errors: "errors",
};

const isAscii = (column: string): Sql => new Sql(`strlen(${column}) = length(${column})`);

const ifSet = <Value>(value: Value | undefined, clause: (value: Value) => Sql): readonly Sql[] =>
  value === undefined ? [] : [clause(value)];

/** Returns the condition of each filter that is set. A filter that was added to the domain does not compile without one. */
const conditions = (filters: SessionTotalFilters, foldedIds: readonly string[]): readonly Sql[] => {
  const clauses: { readonly [Key in keyof SessionTotalFilters]-?: readonly Sql[] } = {
    has_error: ifSet(filters.has_error, (expected) => sql`(errors > 0) = ${expected}`),
    has_failed_span: ifSet(filters.has_failed_span, (expected) => sql`has_failed_span = ${expected}`),
    min_trace_count: ifSet(filters.min_trace_count, (min) => sql`count >= ${min}`),
    query: ifSet(
      filters.query,
      (part) => sql`(${isAscii("id")} AND contains(lower(id), ${foldForSearch(part)}) OR ${inIds("id", foldedIds)})`,
    ),
    min_latency_ms: ifSet(filters.min_latency_ms, (bound) => atLeast(sortKeys.latency, bound)),
    max_latency_ms: ifSet(filters.max_latency_ms, (bound) => atMost(sortKeys.latency, bound)),
    min_cost: ifSet(filters.min_cost, (bound) => atLeast(sortKeys.cost, bound)),
    max_cost: ifSet(filters.max_cost, (bound) => atMost(sortKeys.cost, bound)),
    min_tokens: ifSet(filters.min_tokens, (bound) => atLeast(sortKeys.tokens, bound)),
    max_tokens: ifSet(filters.max_tokens, (bound) => atMost(sortKeys.tokens, bound)),
  };
  return Object.values(clauses).flat();
};

/** Returns a query for ids that SQL does not fold as `foldForSearch` does. */
export const unfoldedIdsSql = ({ traces, share }: SharedSessions): Sql =>
  sql`SELECT DISTINCT session_id AS id FROM (${matchesSql(traces, sql`session_id`)}) WHERE ${inShare(share)} AND NOT ${isAscii("session_id")}`;

/**
 * Returns a query for one row: the number of the matching sessions without rows, and the ids of the first ones behind the cursor.
 *
 * @param foldedIds ids from `unfoldedIdsSql` that match the filter `query`.
 */
export const sessionPageSql = (
  { traces, share, ids }: SharedSessions,
  { filters, sortBy, order, limit, after }: FiledSessionQuery,
  foldedIds: readonly string[],
): Sql => {
  const tests = [sql`NOT ${inIds("id", ids)}`, ...conditions(filters, foldedIds)];
  const direction = new Sql(order === "asc" ? "ASC" : "DESC");
  const rest = after === null ? sql`true` : behind(["key", "id"], "DOUBLE", order, after);
  return sql`
    WITH matches AS MATERIALIZED (
      SELECT id, (${new Sql(sortKeys[sortBy])})::DOUBLE AS key FROM (${sessionsSql(traces, inShare(share))}) WHERE ${joinSql(tests, " AND ")}
    ), page AS (SELECT id FROM matches WHERE ${rest} ORDER BY key ${direction} NULLS LAST, id ${direction} LIMIT ${limit})
    SELECT (SELECT count(*) FROM matches) AS total, (SELECT coalesce(list(id), []) FROM page) AS ids`;
};

/** Returns a query for the states of sessions, without what rows have of them. No trace of a row starts with one of a file. */
export const sessionStatesSql = (traces: SummedTraces, ids: readonly string[]): Sql => sql`
  SELECT id, count, ${textOf("first_at")} AS "firstAt", ${textOf("last_at")} AS "lastAt", latency, errors > 0 AS "hasError", errors,
    has_failed_span AS "hasFailedSpan", tags, spans, tokens, [cost, 0] AS cost, unpriced, arrival,
    CASE WHEN user_id IS NOT NULL THEN {'id': user_id, 'startedAt': ${textOf("user_at")}, 'traceId': ''} END AS user
  FROM (${sessionsSql(traces, inIds("session_id", ids))})`;

/** Returns a query for the figures of sessions: of each one with rows, and by hour of those without. */
export const sessionFiguresSql = ({ traces, share, ids }: SharedSessions): Sql => sql`
  SELECT CASE WHEN ${inIds("id", ids)} THEN id END AS id, strftime(first_at AT TIME ZONE 'UTC', '%Y-%m-%dT%H') AS hour,
    count(*) AS sessions, sum(count) AS traces, count(latency) AS finished, coalesce(sum(latency), 0) AS duration
  FROM (${sessionsSql(traces, inShare(share))}) GROUP BY 1, 2`;

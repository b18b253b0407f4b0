import { parseInstant, type Instant } from "../domain/instant.ts";
import type { SortKey, SortOrder } from "../domain/list-order.ts";
import type { Position } from "../domain/page.ts";
import type { ScoreGiver } from "../domain/scores/precedence.ts";
import type { TraceFilters } from "../domain/traces/filter.ts";
import type { TraceSortColumn } from "../domain/traces/sort.ts";
import type { FiledTrace } from "../store/traces/lists/file-days.ts";
import type { LakeEngine } from "./engine.ts";
import { traceFilterSql } from "./filter-sql.ts";
import { joinSql, sql, Sql } from "./sql.ts";

/** Table functions with the files of one day. */
interface DayTables {
  readonly traces: Sql;
  readonly scores: Sql;
}

/** What selects the traces of a day. */
export interface TraceSelection {
  readonly filters: TraceFilters;
  readonly giver?: ScoreGiver | undefined;
  /** Epoch milliseconds: traces that have expired do not match. */
  readonly now: number;
}

/** A request for the first matching traces of a day. */
export interface LakeQuery extends TraceSelection {
  readonly sortBy: TraceSortColumn | "score";
  readonly order: SortOrder;
  /** Name of the scores to sort by, if sorted by score. */
  readonly sortScore?: string | undefined;
  /** Traces that are listed at most; with 0 they are counted alone. */
  readonly limit: number;
  /** Sort key and id of the last trace before those that are listed; null to begin with the first. */
  readonly after: Position | null;
}

/** The first matching traces of a day in their order, and the number of all, those before the first included. */
interface LakePage {
  readonly traces: readonly FiledTrace[];
  readonly total: number;
}

/** Sort keys as SQL; those of `traceSortKey`. The number of a row stands for its start and its id. */
const sortKeys: Readonly<Record<TraceSortColumn, string>> = {
  started_at: "row",
  ended_at: "ended_at",
  name: "name",
  latency: "latency_ms",
  status: "status",
  cost: "cost_usd",
  tokens: "tokens",
  errors: "failed_spans",
};

/** Returns an instant as a text, which `instantIn` reads. */
export const textOf = (column: string): Sql =>
  new Sql(`strftime(${column} AT TIME ZONE 'UTC', '%Y-%m-%dT%H:%M:%S.%f+00:00')`);

/** The start of a trace as a text. */
export const instantText = textOf("started_at");

/** Returns the instant in a text of DuckDB. */
export const instantIn = (text: unknown): Instant => parseInstant(String(text)) ?? "";

/** Returns the condition for traces that have not expired. @param now epoch milliseconds */
export const unexpired = (now: number): Sql =>
  sql`(expires_at IS NULL OR expires_at > to_timestamp(${now}::DOUBLE / 1000))`;

/** Returns texts as a table with the column `text`. */
export const textTable = (texts: readonly string[]): Sql =>
  sql`(SELECT unnest(from_json(${JSON.stringify(texts)}, '["VARCHAR"]')) AS text)`;

/** Returns the condition for rows of other instants. @param column column with the start of a trace. */
export const unchanged = (column: string, changed: readonly Instant[]): Sql =>
  sql`${new Sql(column)} NOT IN (SELECT text::TIMESTAMPTZ FROM ${textTable(changed)})`;

/** Returns the condition for the matching traces of a day. @param changed instants of which all traces are left out. */
export const matchTest = ({ filters, giver, now }: TraceSelection, scores: Sql, changed: readonly Instant[]): Sql => {
  const tests = [unexpired(now), traceFilterSql(filters, { scores, giver })];
  if (changed.length > 0) tests.push(unchanged("started_at", changed));
  return joinSql(tests, " AND ");
};

/** Returns the condition for items behind a position, in the order of `listOrder`. @param column column with the sort key. @param idColumn column with the id. */
export const behind = (
  [column, idColumn]: readonly [column: string, idColumn: string],
  type: string,
  order: SortOrder,
  { key, id }: Position,
): Sql => {
  const [name, operator] = [new Sql(column), new Sql(order === "asc" ? ">" : "<")];
  const isBehindId = sql`${new Sql(idColumn)} ${operator} ${id}`;
  if (key === null) return sql`(${name} IS NULL AND ${isBehindId})`;
  const value = sql`${key}::${new Sql(type)}`;
  return sql`(${name} IS NULL OR ${name} ${operator} ${value} OR (${name} = ${value} AND ${isBehindId}))`;
};

const keyOf = (value: unknown): SortKey =>
  typeof value === "bigint" ? Number(value) : typeof value === "string" || typeof value === "number" ? value : null;

/**
 * Lists the matching traces of one day: the same in the same order as from rows of the store.
 *
 * @param changed instants of which all traces are left out.
 */
export const lakeTraces = async (
  engine: LakeEngine,
  { traces, scores }: DayTables,
  { sortBy, order, sortScore = "", limit, after, ...selection }: LakeQuery,
  changed: readonly Instant[] = [],
): Promise<LakePage> => {
  const matches = matchTest(selection, scores, changed);
  if (limit === 0) {
    const [counted] = await engine.rows(sql`SELECT count(*) AS total FROM ${traces} WHERE ${matches}`);
    return { traces: [], total: Number(counted?.["total"] ?? 0) };
  }
  const { giver } = selection;
  const newest = giver === undefined ? sql`counts` : sql`is_newest AND giver = ${giver}`;
  const [source, column] =
    sortBy === "score"
      ? [
          sql`${traces} LEFT JOIN (SELECT row, number FROM ${scores} WHERE ${newest} AND name = ${sortScore}) USING (row)`,
          "number",
        ]
      : [traces, sortKeys[sortBy]];
  const [byStart, isInstant] = [sortBy === "started_at", sortBy === "ended_at"];
  const direction = order === "asc" ? "ASC" : "DESC";
  const sorting = new Sql(`key ${direction} NULLS LAST${byStart ? "" : `, trace_id ${direction}`}`);
  const type = byStart || isInstant ? "TIMESTAMPTZ" : typeof after?.key === "number" ? "DOUBLE" : "VARCHAR";
  const rest = after === null ? sql`true` : behind([byStart ? "started_at" : "key", "trace_id"], type, order, after);
  // The matches are computed once: filters of lists of values cost more than keeping what they select.
  const rows = await engine.rows(
    sql`WITH matches AS MATERIALIZED (SELECT trace_id, started_at, ${new Sql(column)} AS key FROM ${source} WHERE ${matches}),
      page AS (SELECT * FROM matches WHERE ${rest} ORDER BY ${sorting} LIMIT ${limit})
      SELECT total, trace_id, ${instantText} AS start, ${isInstant ? textOf("key") : sql`key`} AS value
      FROM (SELECT count(*) AS total FROM matches) LEFT JOIN page ON true ORDER BY ${sorting}`,
  );
  return {
    total: Number(rows[0]?.["total"] ?? 0),
    traces: rows
      .filter(({ trace_id }) => trace_id !== null)
      .map(({ trace_id, start, value }) => {
        const startedAt = instantIn(start);
        const key = byStart ? startedAt : isInstant && value !== null ? instantIn(value) : keyOf(value);
        return { id: String(trace_id), startedAt, key };
      }),
  };
};

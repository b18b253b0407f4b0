import type { SortOrder } from "../domain/list-order.ts";
import type { ScoreGiver } from "../domain/scores/precedence.ts";
import type { TraceFilters } from "../domain/traces/filter.ts";
import type { TraceSortColumn } from "../domain/traces/sort.ts";
import type { LakeEngine } from "./engine.ts";
import { traceFilterSql } from "./filter-sql.ts";
import { sql, Sql } from "./sql.ts";

/** Table functions with the files of one day. */
interface DayTables {
  readonly traces: Sql;
  readonly scores: Sql;
}

/** A request for the first matching traces of a day. */
interface LakeQuery {
  readonly filters: TraceFilters;
  readonly giver?: ScoreGiver | undefined;
  readonly sortBy: TraceSortColumn | "score";
  readonly order: SortOrder;
  /** Name of the scores to sort by, if sorted by score. */
  readonly sortScore?: string | undefined;
  readonly limit: number;
  /** Epoch milliseconds: traces that have expired do not match. */
  readonly now: number;
}

/** The first matching traces of a day, by id in their order, and the number of all. */
interface LakePage {
  readonly ids: readonly string[];
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

/** Returns the condition for traces that have not expired. @param now epoch milliseconds */
export const unexpired = (now: number): Sql =>
  sql`(expires_at IS NULL OR expires_at > to_timestamp(${now}::DOUBLE / 1000))`;

/** Lists the matching traces of one day: the same in the same order as from rows of the store. */
export const lakeTraces = async (
  engine: LakeEngine,
  { traces, scores }: DayTables,
  { filters, giver, sortBy, order, sortScore = "", limit, now }: LakeQuery,
): Promise<LakePage> => {
  const matches = sql`${unexpired(now)} AND ${traceFilterSql(filters, { scores, giver })}`;
  const [counted] = await engine.rows(sql`SELECT count(*) AS total FROM ${traces} WHERE ${matches}`);
  const newest = giver === undefined ? sql`counts` : sql`is_newest AND giver = ${giver}`;
  const [source, key] =
    sortBy === "score"
      ? [
          sql`${traces} LEFT JOIN (SELECT row, number FROM ${scores} WHERE ${newest} AND name = ${sortScore}) USING (row)`,
          "number",
        ]
      : [traces, sortKeys[sortBy]];
  const direction = order === "asc" ? "ASC" : "DESC";
  const sorting = new Sql(`${key} ${direction} NULLS LAST${sortBy === "started_at" ? "" : `, trace_id ${direction}`}`);
  const rows = await engine.rows(
    sql`SELECT trace_id FROM ${source} WHERE ${matches} ORDER BY ${sorting} LIMIT ${limit}`,
  );
  return { ids: rows.map(({ trace_id }) => String(trace_id)), total: Number(counted?.["total"] ?? 0) };
};

import { join } from "node:path";
import type { Instant } from "../domain/instant.ts";
import { lakeTables, rowTables } from "../domain/lake/tables.ts";
import type { LakeEngine } from "./engine.ts";
import { linesOf, parquetOf, writeParquet } from "./parquet.ts";
import { rankedScores } from "./score-row.ts";
import { sql, Sql } from "./sql.ts";
import { instantIn, instantText, unchanged, unexpired } from "./trace-list.ts";

type RowTable = (typeof rowTables)[number];

/** Paths of a day's files by table. */
export type DayPaths = Readonly<Record<RowTable, string>>;

/** Files of the previous generation of a day, of which some traces have changed. */
interface PreviousDay {
  readonly files: DayPaths;
  /** Starts of the traces that have changed, come or gone: what the files have of these instants is left out. */
  readonly changed: readonly Instant[];
  /** Epoch milliseconds: traces that have expired are left out. */
  readonly now: number;
}

/** A written file: its path and number of rows. */
interface WrittenFile {
  readonly table: RowTable;
  readonly path: string;
  readonly rows: number;
}

/** Columns with the start of a trace. */
const startColumns = { traces: "started_at", scores: "trace_started_at" } as const;

/** Returns a query for the rows of new lines and for those of the previous generation that did not change. */
const rowsOf = (table: RowTable, lines: string, previous: PreviousDay | null): Sql => {
  const added = sql`SELECT * FROM ${linesOf(lakeTables[table].columns, lines)}`;
  if (previous === null) return added;
  const kept = sql`SELECT * FROM ${parquetOf([previous.files[table]])}
    WHERE ${unchanged(startColumns[table], previous.changed)}`;
  // Scores of expired traces go with them: they are joined to the traces that stay.
  const living = table === "traces" ? unexpired(previous.now) : new Sql("true");
  return sql`${added} UNION ALL BY NAME ${kept} AND ${living}`;
};

/**
 * Writes the files of a day's traces and their scores.
 *
 * @param lines files with rows as lines of JSON: all of the day, or those of the instants that have changed.
 * @param directory folder of the files, which have the names of their tables.
 */
export const writeDayFiles = async (
  engine: LakeEngine,
  lines: DayPaths,
  previous: PreviousDay | null,
  directory: string,
): Promise<readonly WrittenFile[]> => {
  const pathOf = (table: RowTable): string => join(directory, `${table}.parquet`);
  const numbered = sql`SELECT row_number() OVER (ORDER BY started_at, trace_id) - 1 AS row, * EXCLUDE (row)
    FROM (${rowsOf("traces", lines.traces, previous)})`;
  const queries: Readonly<Record<RowTable, Sql>> = {
    traces: numbered,
    scores: rankedScores(rowsOf("scores", lines.scores, previous), parquetOf([pathOf("traces")])),
  };
  const files: WrittenFile[] = [];
  for (const table of rowTables) {
    const path = pathOf(table);
    files.push({ table, path, rows: await writeParquet(engine, table, queries[table], path) });
  }
  return files;
};

/** Traces of a part of a day at most. */
export const partTraces = 20_000;

/** Returns the starts of every 20,000th trace of a day, at which its parts end. */
export const startsOfParts = async (engine: LakeEngine, traces: string): Promise<readonly Instant[]> => {
  const rows = await engine.rows(
    sql`SELECT ${instantText} AS instant FROM ${parquetOf([traces])} WHERE row % ${partTraces} = 0 AND row > 0 ORDER BY row`,
  );
  return rows.map(({ instant }) => instantIn(instant));
};

/** Returns when the first trace of a file expires, epoch milliseconds or null if none does, and how many spans its traces have. */
export const factsOfTraces = async (
  engine: LakeEngine,
  traces: string,
): Promise<{ readonly expiresAt: number | null; readonly spans: number }> => {
  const [row] = await engine.rows(
    sql`SELECT epoch_ms(min(expires_at)) AS at, sum(spans) AS spans FROM ${parquetOf([traces])}`,
  );
  const at = row?.["at"] ?? null;
  return { expiresAt: at === null ? null : Number(at), spans: Number(row?.["spans"] ?? 0) };
};

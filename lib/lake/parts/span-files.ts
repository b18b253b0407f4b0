import { join } from "node:path";
import { lakeTables } from "../../domain/lake/tables.ts";
import { maxTraceBytes } from "../../domain/traces/limits.ts";
import type { LakeEngine } from "../engine.ts";
import { linesOf, parquetOf, writeParquet } from "../parquet.ts";
import { sql } from "../sql.ts";
import { unchanged } from "../trace-list.ts";
import { isTraceOf, type PartFiles, type PreviousPart } from "../word-files.ts";

/** Bytes of the largest line: JSON that is written as a text of JSON takes twice as many at most. */
const maxLineBytes = 2 * maxTraceBytes + 1024 * 1024;

/**
 * Writes the file of a part of a day's spans.
 *
 * @param lines file with the rows of spans as lines of JSON: all of the part, or those of the traces that have changed.
 */
export const writeSpanFiles = async (
  engine: LakeEngine,
  lines: string,
  previous: PreviousPart | null,
  directory: string,
): Promise<PartFiles> => {
  const added = sql`SELECT * FROM ${linesOf(lakeTables.spans.columns, lines, maxLineBytes)}`;
  const kept =
    previous === null || previous.paths.length === 0
      ? sql``
      : sql` UNION ALL BY NAME SELECT * FROM ${parquetOf(previous.paths)}
          WHERE ${unchanged("trace_started_at", previous.changed)} AND ${isTraceOf(previous, "trace_id")}`;
  const path = join(directory, "spans.parquet");
  const rows = await writeParquet(engine, "spans", sql`${added}${kept}`, path);
  return { paths: rows === 0 ? [] : [path], rows };
};

import type { LakeEngine } from "./engine.ts";
import { Sql, sqlText } from "./sql.ts";
import { columnsOf, lakeTables, type LakeTableName } from "../domain/lake/tables.ts";

/**
 * Rows of a row group. Requests for smaller groups cost more than what they save of reading; but a group is written from memory, and spans
 * have texts.
 */
const [rowsPerGroup, spansPerGroup] = [262_144, 4_096];

/** Bytes of the largest line: a trace's words come from at most 4 MB of JSON, other lines but those of spans from an item of 400 KB. */
const maxLineBytes = 16 * 1024 * 1024;

/**
 * Returns a table function that reads lines of JSON.
 *
 * @param path path of the file; it need not have all columns.
 * @param maxBytes bytes of its largest line. Each thread holds buffers of twice as many, which do not go to disk.
 */
export const linesOf = (lineColumns: Readonly<Record<string, string>>, path: string, maxBytes = maxLineBytes): Sql => {
  const columns = Object.entries(lineColumns).map(([name, type]) => `${name}: ${sqlText(type)}`);
  const options = `format = 'newline_delimited', maximum_object_size = ${maxBytes}, columns = {${columns.join(", ")}}`;
  return new Sql(`read_json(${sqlText(path)}, ${options})`);
};

/** Returns a table function that reads Parquet files. */
export const parquetOf = (paths: readonly string[]): Sql => new Sql(`read_parquet([${paths.map(sqlText).join(", ")}])`);

/**
 * Writes the rows of a query as one Parquet file, sorted if its table is. A column that the query lacks is an error, further ones are left out.
 *
 * @returns the number of rows.
 */
export const writeParquet = async (
  engine: LakeEngine,
  table: LakeTableName,
  query: Sql,
  path: string,
): Promise<number> => {
  const columns = columnsOf(table).map(([name, type]) => `${name}::${type} AS ${name}`);
  const { sort } = lakeTables[table];
  const order = sort.length === 0 ? "" : ` ORDER BY ${sort.join(", ")}`;
  const sorted = `SELECT ${columns.join(", ")} FROM (${query.text})${order}`;
  const rows = table === "spans" ? spansPerGroup : rowsPerGroup;
  const options = `FORMAT parquet, COMPRESSION zstd, COMPRESSION_LEVEL 2, ROW_GROUP_SIZE ${rows}`;
  const [written] = await engine.rows(new Sql(`COPY (${sorted}) TO ${sqlText(path)} (${options})`, query.values));
  return Number(written?.["Count"] ?? 0);
};

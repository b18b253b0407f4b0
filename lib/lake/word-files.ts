import { createHash } from "node:crypto";
import { join } from "node:path";
import type { Instant } from "../domain/instant.ts";
import { wordLineColumns } from "../domain/lake/tables.ts";
import { anyWord } from "../domain/traces/search/word-index.ts";
import type { LakeEngine } from "./engine.ts";
import { linesOf, parquetOf, writeParquet } from "./parquet.ts";
import { sql, Sql } from "./sql.ts";
import { instantIn, instantText, unchanged } from "./trace-list.ts";

/** Maximum files of a part, a power of two, and rows of a file below it: a reader takes one file for each word. */
const [maxShards, rowsPerShard] = [32, 150_000];

/** Returns the number of the shard that has a text, such as of the file of a part that has a word. */
export const shardOf = (text: string, shards: number): number =>
  (createHash("md5").update(text).digest()[0] ?? 0) % shards;

/** `shardOf` as SQL. */
export const shardSql = (column: string, shards: number): Sql =>
  new Sql(`('0x' || substr(md5(${column}), 1, 2))::INTEGER % ${shards}`);

/** A part that was written before, of which some traces have changed. */
export interface PreviousPart {
  readonly paths: readonly string[];
  readonly changed: readonly Instant[];
  /** File with the day's traces as they are now: what the part has of others is left out; null to leave nothing out. */
  readonly traces: string | null;
}

/** Returns the condition for a column of a part that was written before, such as `started_at`, to be that of one of the day's traces. */
export const isTraceOf = ({ traces }: PreviousPart, column: string): Sql =>
  traces === null ? sql`true` : sql`${new Sql(column)} IN (SELECT ${new Sql(column)} FROM ${parquetOf([traces])})`;

/** Files of a part. */
export interface PartFiles {
  /** Paths of the files, by number. */
  readonly paths: readonly string[];
  readonly rows: number;
}

/**
 * Writes the files of a part of the index.
 *
 * @param lines file with the words of traces as lines of JSON: all of the part, or those of the instants that have changed.
 */
export const writeWordFiles = async (
  engine: LakeEngine,
  lines: string,
  previous: PreviousPart | null,
  directory: string,
): Promise<PartFiles> => {
  const added = sql`SELECT unnest(words) AS word, started_at FROM ${linesOf(wordLineColumns, lines)}`;
  const kept =
    previous === null || previous.paths.length === 0
      ? sql``
      : sql` UNION ALL SELECT word, started_at FROM ${parquetOf(previous.paths)}
          WHERE ${unchanged("started_at", previous.changed)} AND ${isTraceOf(previous, "started_at")}`;
  await engine.rows(
    sql`CREATE OR REPLACE TEMP TABLE part AS SELECT *, ${shardSql("word", maxShards)} AS shard FROM (SELECT DISTINCT * FROM (${added}${kept}))`,
  );
  const [counted] = await engine.rows(sql`SELECT count(*) AS rows FROM part`);
  const rows = Number(counted?.["rows"] ?? 0);
  const wanted = 2 ** Math.ceil(Math.log2(Math.max(1, rows / rowsPerShard)));
  const paths: string[] = [];
  const shards = rows === 0 ? 0 : Math.min(maxShards, wanted);
  for (let shard = 0; shard < shards; shard += 1) {
    const path = join(directory, `words-${shard}.parquet`);
    await writeParquet(engine, "words", sql`SELECT * FROM part WHERE shard % ${shards} = ${shard}`, path);
    paths.push(path);
  }
  await engine.rows(sql`DROP TABLE part`);
  return { paths, rows };
};

/** A range of starts, and the number of instants of it that are wanted. */
export interface InstantRange {
  /** Inclusive. */
  readonly from: Instant;
  /** Inclusive. */
  readonly to: Instant;
  readonly limit: number;
}

/** Lists the newest instants of a range at which traces have all words, newest first. */
export const instantsWith = async (
  engine: LakeEngine,
  paths: readonly string[],
  words: readonly string[],
  { from, to, limit }: InstantRange,
): Promise<readonly Instant[]> => {
  const rows = await engine.rows(
    sql`SELECT ${instantText} AS instant FROM ${parquetOf(paths)}
      WHERE word IN (SELECT unnest(from_json(${JSON.stringify([...words, anyWord])}, '["VARCHAR"]')))
        AND started_at BETWEEN ${from}::TIMESTAMPTZ AND ${to}::TIMESTAMPTZ
      GROUP BY started_at
      HAVING count(*) FILTER (word <> ${anyWord}) = ${words.length} OR bool_or(word = ${anyWord})
      ORDER BY started_at DESC LIMIT ${limit}`,
  );
  return rows.map(({ instant }) => instantIn(instant));
};

import { columnsOf, documentTables, exportedTables, rowTables } from "../domain/lake/tables.ts";
import type { DayPart } from "../store/lake/day-parts.ts";
import type { LakeFile } from "../store/lake/lake-file.ts";

/** Folder of the snapshots of days, beside the folders of the tables: who reads a table by its folder does not read them. */
const snapshots = "snapshots/";

/** Kinds of files: those of closed days, and snapshots for exports. */
type FileKind = "day" | "snapshot";

/** Returns the prefix of a table's files of a project, and of one day, as Athena, Spark and DuckDB read partitions. */
const prefixOf = (kind: FileKind, table: string, project: string, day?: string): string =>
  `${kind === "snapshot" ? snapshots : ""}${table}/project=${project}/${day === undefined ? "" : `day=${day}/`}`;

/** Returns the prefixes of all files of a project, or of one day. */
export const prefixesOf = (project: string, day?: string): readonly string[] => [
  ...exportedTables.map((table) => prefixOf("snapshot", table, project, day)),
  ...[...rowTables, ...documentTables].map((table) => prefixOf("day", table, project, day)),
];

/** A day of a table's files. */
interface FileDay {
  readonly kind: FileKind;
  readonly table: string;
  readonly project: string;
  readonly day: string;
}

/** Returns the start of the keys of a new part of a table. It has the time of its writing: after a while it shows that nobody published it. */
export const keyOfPart = ({ kind, table, project, day }: FileDay, at: number, writer: string): string =>
  `${prefixOf(kind, table, project, day)}${at}-${writer}`;

/** Returns the key of a new file of a whole day, as `keyOfPart`. */
export const keyOfFile = (day: FileDay, at: number, writer: string): string => `${keyOfPart(day, at, writer)}.parquet`;

/** Returns the keys of the files of a part, by the number of the shard. */
export const keysOfPart = ({ key, shards }: Pick<DayPart, "key" | "shards">): readonly string[] =>
  Array.from({ length: shards }, (_, shard) => `${key}-${shard}.parquet`);

/** Returns the files of the parts of spans. */
export const filesOfSpans = (parts: readonly DayPart[]): readonly LakeFile[] =>
  parts.flatMap((part) =>
    keysOfPart(part).map((key) => ({
      table: "spans" as const,
      key,
      rows: part.rows,
      bytes: part.bytes,
      sha256: part.sha256 ?? "",
      columns: columnsOf("spans").length,
    })),
  );

/** Returns when a file was written, epoch milliseconds. */
export const writtenAt = (key: string): number => Number.parseInt(key.slice(key.lastIndexOf("/") + 1), 10);

import { exportedTables } from "../domain/lake/tables.ts";
import type { ProjectDay } from "../store/lake/due-days.ts";
import type { WordPart } from "../store/lake/word-parts.ts";

/** Folder of the snapshots of days, beside the folders of the tables: who reads a table by its folder does not read them. */
const snapshots = "snapshots/";

/** Kinds of files: those of closed days, and snapshots for exports. */
type FileKind = "day" | "snapshot";

/** Returns the prefix of a table's files of a project, and of one day, as Athena, Spark and DuckDB read partitions. */
const prefixOf = (kind: FileKind, table: string, project: string, day?: string): string =>
  `${kind === "snapshot" ? snapshots : ""}${table}/project=${project}/${day === undefined ? "" : `day=${day}/`}`;

/** Returns the prefixes of all files of a project, or of one day. */
export const prefixesOf = (project: string, day?: string): readonly string[] => [
  ...(["day", "snapshot"] as const).flatMap((kind) =>
    exportedTables.map((table) => prefixOf(kind, table, project, day)),
  ),
  prefixOf("day", "words", project, day),
];

/** Returns the key of a new file. Its name begins with the time of its writing: after a while it shows that nobody published it. */
export const keyOfFile = (
  file: { readonly kind: FileKind; readonly table: string; readonly project: string; readonly day: string },
  at: number,
  writer: string,
): string => `${prefixOf(file.kind, file.table, file.project, file.day)}${at}-${writer}.parquet`;

/** Returns the start of the keys of a new part of the index of words. */
export const keyOfPart = ({ project, day }: ProjectDay, at: number, writer: string): string =>
  `${prefixOf("day", "words", project, day)}${at}-${writer}`;

/** Returns the keys of the files of a part of the index of words, by the number of the shard. */
export const keysOfPart = ({ key, shards }: Pick<WordPart, "key" | "shards">): readonly string[] =>
  Array.from({ length: shards }, (_, shard) => `${key}-${shard}.parquet`);

/** Returns when a file was written, epoch milliseconds. */
export const writtenAt = (key: string): number => Number.parseInt(key.slice(key.lastIndexOf("/") + 1), 10);

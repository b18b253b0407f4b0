import { randomUUID } from "node:crypto";
import { stat } from "node:fs/promises";
import { join } from "node:path";
import type { Instant } from "../../domain/instant.ts";
import type { documentTables } from "../../domain/lake/tables.ts";
import type { Database } from "../../dynamo/database.ts";
import type { DayPart } from "../../store/lake/day-parts.ts";
import type { ProjectDay } from "../../store/lake/due-days.ts";
import type { PackedTrace } from "../../store/traces/packed-trace.ts";
import { rowScan } from "../../store/traces/row-scan.ts";
import { sha256Of } from "../checksum.ts";
import type { LakeEngine } from "../engine.ts";
import { keyOfPart, keysOfPart } from "../object-keys.ts";
import type { ObjectStore } from "../object-store.ts";
import { type PartFiles, writeWordFiles } from "../word-files.ts";
import { documentLines } from "./document-lines.ts";
import { writeSpanFiles } from "./span-files.ts";

/** Milliseconds in which documents of a part are read: one has as many traces as that allows. */
const partMilliseconds = 200_000;

/**
 * Changed instants of a day up to which its parts are written again at once. Beyond, the parts from the first changed one on are left
 * out, and made anew one by one.
 */
const maxChanged = 20_000;

/** What has changed in a day since its parts were written. */
export interface PartChanges {
  /** Instants at which traces have changed. */
  readonly changed: readonly Instant[];
  /** True if traces have expired. */
  readonly hasExpired: boolean;
  /** File with the day's traces as they are now; null for an open day, whose parts keep the words of expired traces. */
  readonly traces: string | null;
}

type PartRange = Pick<DayPart, "from" | "to">;

/** Documents are read by the incarnations of their rows. */
const reading = { strongly: true, withIncarnations: true };

const byStart = (a: PackedTrace, b: PackedTrace): number => Buffer.compare(a.key, b.key);

const writers = { words: writeWordFiles, spans: writeSpanFiles } as const;

/** Writes the parts of what a day's documents become. */
export const partWriter = (
  table: (typeof documentTables)[number],
  database: Database,
  objects: ObjectStore,
  engine: LakeEngine,
  now: () => number = Date.now,
) => {
  const [scan, writeLines] = [rowScan(database, now), documentLines(database, table, now)];

  const store = async (
    day: ProjectDay,
    { from, to }: PartRange,
    { paths, rows }: PartFiles,
    kind: "day" | "snapshot" = "day",
  ): Promise<DayPart> => {
    const key = keyOfPart({ kind, table, ...day }, now(), randomUUID());
    const part = { from, to, key, shards: paths.length, rows };
    let bytes = 0;
    let sha256 = "";
    for (const [shard, keyOfShard] of keysOfPart(part).entries()) {
      const path = paths[shard] ?? "";
      sha256 = await sha256Of(path);
      await objects.put(keyOfShard, path, sha256);
      bytes += (await stat(path)).size;
    }
    return { ...part, bytes, ...(table === "spans" && { sha256 }) };
  };

  /** Writes a part again. @param changed those of its instants. @returns null if it has to be made anew: its files do not exist, such as after a restored table. */
  const rewritePart = async (
    day: ProjectDay,
    part: DayPart,
    { changed, traces }: PartChanges,
    directory: string,
  ): Promise<DayPart | null> => {
    const paths: string[] = [];
    for (const [shard, key] of keysOfPart(part).entries()) {
      const path = join(directory, `${table}-before-${shard}.parquet`);
      if (!(await objects.download(key, path))) return null;
      paths.push(path);
    }
    const changedTraces: PackedTrace[] = [];
    const lines = join(directory, `${table}.ndjson`);
    await scan.at(day.project, changed, reading, (trace) => void changedTraces.push(trace));
    // More lines than a part has.
    if ((await writeLines(day.project, changedTraces.sort(byStart), Infinity, lines)) !== null) return null;
    return await store(day, part, await writers[table](engine, lines, { paths, changed, traces }, directory));
  };

  return {
    /**
     * Writes a part of the traces that start in a range, or of the first of them.
     *
     * @param kind kind of its files: those of a closed day, or of a snapshot for an export.
     */
    add: async (day: ProjectDay, range: PartRange, directory: string, kind?: "day" | "snapshot"): Promise<DayPart> => {
      const traces: PackedTrace[] = [];
      await scan.all(day.project, range, reading, (trace) => void traces.push(trace));
      const lines = join(directory, `${table}.ndjson`);
      const end = await writeLines(day.project, traces.sort(byStart), now() + partMilliseconds, lines);
      const files = await writers[table](engine, lines, null, directory);
      return await store(day, { ...range, to: end ?? range.to }, files, kind);
    },

    /** Writes the parts again that have changed. @returns all parts up to the first that has to be made anew. */
    rewrite: async (
      day: ProjectDay,
      parts: readonly DayPart[],
      changes: PartChanges,
      directory: string,
    ): Promise<readonly DayPart[]> => {
      const next: DayPart[] = [];
      for (const part of parts) {
        const changed = changes.changed.filter((instant) => instant >= part.from && instant < part.to);
        if (changed.length === 0 && !changes.hasExpired) {
          next.push(part);
          continue;
        }
        if (changes.changed.length > maxChanged) break;
        const rewritten = await rewritePart(day, part, { ...changes, changed }, directory);
        if (rewritten === null) break;
        next.push(rewritten);
      }
      return next;
    },
  };
};

export type PartWriter = ReturnType<typeof partWriter>;

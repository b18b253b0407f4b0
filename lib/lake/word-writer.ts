import { randomUUID } from "node:crypto";
import { stat } from "node:fs/promises";
import { join } from "node:path";
import type { Instant } from "../domain/instant.ts";
import type { Database } from "../dynamo/database.ts";
import type { ProjectDay } from "../store/lake/due-days.ts";
import type { WordPart } from "../store/lake/word-parts.ts";
import type { PackedTrace } from "../store/traces/packed-trace.ts";
import { rowScan } from "../store/traces/row-scan.ts";
import { sha256Of } from "./checksum.ts";
import type { LakeEngine } from "./engine.ts";
import { keyOfPart, keysOfPart } from "./object-keys.ts";
import type { ObjectStore } from "./object-store.ts";
import { writeWordFiles } from "./word-files.ts";
import { wordLines } from "./word-lines.ts";

/** Milliseconds in which documents of a part are read: one has as many traces as that allows. */
const partMilliseconds = 200_000;

/**
 * Changed instants of a day up to which its parts are written again at once. Beyond, the parts from the first changed one on are left
 * out, and made anew one by one.
 */
const maxChanged = 20_000;

/** What has changed in a day since its parts were written. */
export interface WordChanges {
  /** Instants at which traces have changed. */
  readonly changed: readonly Instant[];
  /** True if traces have expired. */
  readonly hasExpired: boolean;
  /** File with the day's traces as they are now. */
  readonly traces: string;
}

/** Documents are read by the incarnations of their rows. */
const reading = { strongly: true, withIncarnations: true };

const byStart = (a: PackedTrace, b: PackedTrace): number => Buffer.compare(a.key, b.key);

/** Writes the parts of the index of words. */
export const wordWriter = (
  database: Database,
  objects: ObjectStore,
  engine: LakeEngine,
  now: () => number = Date.now,
) => {
  const [scan, writeLines] = [rowScan(database, now), wordLines(database, now)];

  const store = async (
    day: ProjectDay,
    range: Pick<WordPart, "from" | "to">,
    { paths, rows }: Awaited<ReturnType<typeof writeWordFiles>>,
  ): Promise<WordPart> => {
    const part = { ...range, key: keyOfPart(day, now(), randomUUID()), shards: paths.length, rows };
    let bytes = 0;
    for (const [shard, key] of keysOfPart(part).entries()) {
      const path = paths[shard] ?? "";
      await objects.put(key, path, await sha256Of(path));
      bytes += (await stat(path)).size;
    }
    return { ...part, bytes };
  };

  /** Writes a part again. @param changed those of its instants. @returns null if its files do not exist, such as after a restored table. */
  const rewritePart = async (
    day: ProjectDay,
    part: WordPart,
    { changed, traces }: WordChanges,
    directory: string,
  ): Promise<WordPart | null> => {
    const paths: string[] = [];
    for (const [shard, key] of keysOfPart(part).entries()) {
      const path = join(directory, `words-before-${shard}.parquet`);
      if (!(await objects.download(key, path))) return null;
      paths.push(path);
    }
    const changedTraces: PackedTrace[] = [];
    const lines = join(directory, "words.ndjson");
    await scan.at(day.project, changed, reading, (trace) => void changedTraces.push(trace));
    await writeLines(day.project, changedTraces.sort(byStart), Infinity, lines);
    const files = await writeWordFiles(engine, lines, { paths, changed, traces }, directory);
    return await store(day, { from: part.from, to: part.to }, files);
  };

  return {
    /** Writes a part of the traces that start in a range, or of the first of them. */
    add: async (day: ProjectDay, { from, to }: Pick<WordPart, "from" | "to">, directory: string): Promise<WordPart> => {
      const traces: PackedTrace[] = [];
      await scan.all(day.project, { from, to }, reading, (trace) => void traces.push(trace));
      const lines = join(directory, "words.ndjson");
      const end = await writeLines(day.project, traces.sort(byStart), now() + partMilliseconds, lines);
      return await store(day, { from, to: end ?? to }, await writeWordFiles(engine, lines, null, directory));
    },

    /** Writes the parts again that have changed. @returns all parts up to the first that has to be made anew. */
    rewrite: async (
      day: ProjectDay,
      parts: readonly WordPart[],
      changes: WordChanges,
      directory: string,
    ): Promise<readonly WordPart[]> => {
      const next: WordPart[] = [];
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

import { randomUUID } from "node:crypto";
import { mkdtemp, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { endOfDay, instantAt, type Instant } from "../domain/instant.ts";
import { columnsOf, rowTables } from "../domain/lake/tables.ts";
import type { Database } from "../dynamo/database.ts";
import { type LakeChange, lakeChanges } from "../store/lake/changes.ts";
import { coversDay } from "../store/lake/day-parts.ts";
import type { ProjectDay } from "../store/lake/due-days.ts";
import type { LakeFile } from "../store/lake/lake-file.ts";
import { closingState, lakeManifests, type Manifest } from "../store/lake/manifests.ts";
import { lakeSnapshots } from "../store/lake/snapshots.ts";
import { sha256Of } from "./checksum.ts";
import { factsOfTraces, partTraces, startsOfParts, writeDayFiles, type DayPaths } from "./day-files.ts";
import { dayLines } from "./day-lines.ts";
import type { LakeEngine } from "./engine.ts";
import { filesOfSpans, keyOfFile, keysOfPart, prefixesOf, writtenAt } from "./object-keys.ts";
import type { ObjectStore } from "./object-store.ts";
import { closingMilliseconds, dayPartsWriter } from "./parts/day-parts-writer.ts";
import { partWriter } from "./parts/part-writer.ts";

/** Milliseconds by which an index of scores may lag: marks that are younger when the reading begins are kept. */
const indexLag = 5 * 60_000;

/** Milliseconds after which a file that nobody has published is deleted: its writer has ended, and links to it as well. */
export const garbageMilliseconds = 30 * 60_000;

/** What a pass did to a day. */
type DayOutcome = "closing" | "unchanged" | "written" | "overtaken";

/** What has changed in a day since the files of a manifest. */
interface Rewriting {
  readonly before: Manifest;
  readonly changed: readonly LakeChange[];
  readonly hasExpired: boolean;
}

/** Writes the files of days. */
export interface DayWriter {
  /**
   * Takes one step with a UTC day that is over: begins to close it, writes its first files 20 minutes later, and writes them again
   * with what has changed or expired since. It can be called at any time, by several functions at once, and be killed anywhere: the
   * manifest always names the complete files of one generation, and the files of the earlier one are deleted at once.
   */
  write(project: string, day: string): Promise<DayOutcome>;
  /**
   * Adds parts to the index of words of a closed day, one by one, and to its spans if an export has asked for them.
   *
   * @param until epoch milliseconds after which none is begun.
   * @param withSpans true if an export asks for the spans of the day: from now on its files have them.
   * @returns false if parts are missing.
   */
  addParts(project: string, day: string, until: number, withSpans: boolean): Promise<boolean>;
  /** Takes one step with the index of words of a day that has no files, see `dayPartsWriter`. */
  index(day: ProjectDay, until: number, endFrom: (from: Instant) => Promise<Instant | null>): Promise<number | null>;
  /** Writes a snapshot of a day, open or not, for an export. @param withSpans true if it has the spans of up to 20,000 traces. */
  snapshot(project: string, day: string, withSpans: boolean): Promise<void>;
  /** Deletes the files of a day that neither its manifest nor a snapshot names. */
  sweep(project: string, day: string): Promise<void>;
}

/** What of a generation, or of a snapshot, has files. */
type GenerationFiles = Pick<Manifest, "files" | "words" | "spans">;

/** Returns the keys of all objects of a generation. */
const keysOf = ({ files, words, spans }: GenerationFiles): readonly string[] => [
  ...files.map(({ key }) => key),
  ...[...words, ...(spans ?? [])].flatMap(keysOfPart),
];

/** @param directory folder for files that are being written. */
export const dayWriter = (
  database: Database,
  objects: ObjectStore,
  engine: LakeEngine,
  directory: string,
  now: () => number = Date.now,
): DayWriter => {
  const [manifests, changes] = [lakeManifests(database, now), lakeChanges(database, now)];
  const [snapshots, writeLines] = [lakeSnapshots(database, now), dayLines(database, now)];
  const partWriters = {
    words: partWriter("words", database, objects, engine, now),
    spans: partWriter("spans", database, objects, engine, now),
  };
  const parts = dayPartsWriter(database, objects, partWriters, now);

  const inFolder = async <Result>(work: (folder: string) => Promise<Result>): Promise<Result> => {
    const folder = await mkdtemp(join(directory, "day-"));
    try {
      return await work(folder);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  };

  /** Copies the files of a generation to a folder. @returns false if one does not exist, such as after a restored table. */
  const download = async (files: readonly LakeFile[], paths: DayPaths): Promise<boolean> => {
    for (const table of rowTables) {
      const key = files.find((file) => file.table === table)?.key;
      if (key === undefined || !(await objects.download(key, paths[table]))) return false;
    }
    return true;
  };

  /** Writes the files of a day to the store: from all rows, or from the files before and what has changed since. */
  const writeFiles = async (day: ProjectDay, kind: "day" | "snapshot", writer: string, rewriting: Rewriting | null) =>
    inFolder(async (folder) => {
      const pathsOf = (suffix: string): DayPaths => ({
        traces: join(folder, `traces${suffix}`),
        scores: join(folder, `scores${suffix}`),
      });
      const [lines, before] = [pathsOf(".ndjson"), pathsOf("-before.parquet")];
      const isRewriting = rewriting !== null && (await download(rewriting.before.files, before));
      // Earlier files lack columns that rows have.
      const hasColumns = rewriting?.before.files.every(({ table, columns }) => columns >= columnsOf(table).length);
      const changed = isRewriting && hasColumns === true ? rewriting.changed.map(({ startedAt }) => startedAt) : null;
      await writeLines(day, changed, lines);
      const previous = changed === null ? null : { files: before, changed, now: now() };
      const files: LakeFile[] = [];
      let facts: Awaited<ReturnType<typeof factsOfTraces>> | null = null;
      for (const { table, path, rows } of await writeDayFiles(engine, lines, previous, folder)) {
        if (table === "traces") facts = await factsOfTraces(engine, path);
        const [sha256, { size: bytes }] = [await sha256Of(path), await stat(path)];
        const key = keyOfFile({ kind, table, ...day }, now(), writer);
        await objects.put(key, path, sha256);
        const spanCount = table === "traces" ? { spans: facts?.spans } : {};
        files.push({ table, key, rows, bytes, sha256, columns: columnsOf(table).length, ...spanCount });
      }
      const expiresAt = facts?.expiresAt ?? null;
      const hasSpans = (rewriting?.before.spans ?? null) !== null;
      // Parts of which no file is left, such as after a restored table, are made anew; those of an open day come before its files.
      const hasParts = isRewriting || rewriting?.before.files.length === 0;
      if (rewriting === null || !hasParts) return { files, expiresAt, words: [], spans: hasSpans ? [] : null };
      const changes = {
        changed: rewriting.changed.filter(({ scoresOnly }) => !scoresOnly).map(({ startedAt }) => startedAt),
        hasExpired: rewriting.hasExpired,
        traces: join(folder, "traces.parquet"),
      };
      const { words, spans } = rewriting.before;
      return {
        files,
        expiresAt,
        words: await partWriters.words.rewrite(day, words, changes, folder),
        spans: spans === null ? null : await partWriters.spans.rewrite(day, spans, changes, folder),
      };
    });

  const removeAll = async (keys: readonly string[]): Promise<void> => {
    for (const key of keys) await objects.remove(key);
  };

  /** Deletes the objects of a generation, but for those that another one has as well. */
  const remove = async (generation: GenerationFiles, kept: GenerationFiles): Promise<void> => {
    const keptKeys = new Set(keysOf(kept));
    await removeAll(keysOf(generation).filter((key) => !keptKeys.has(key)));
  };

  /** Writes the spans of a day for a snapshot. @returns no file if there is no time for all of them. */
  const snapshotSpans = (day: ProjectDay): Promise<readonly LakeFile[]> =>
    inFolder(async (folder) => {
      const range = { from: `${day.day}T00:00:00+00:00`, to: instantAt(endOfDay(day.day)) };
      const part = await partWriters.spans.add(day, range, folder, "snapshot");
      if (part.to === range.to) return filesOfSpans([part]);
      await removeAll(keysOfPart(part));
      return [];
    });

  return {
    write: async (project, day) => {
      const manifest = await manifests.get(project, day);
      const readAt = now();
      if (manifest === null || manifest.end !== null) {
        if (manifest === null) await manifests.close(project, day, null);
        else await manifests.publish(manifest, { since: readAt, end: null });
        return "closing";
      }
      if (readAt < manifest.since + closingMilliseconds) return "closing";
      const changed = await changes.list(project, day);
      const hasExpired = manifest.expiresAt !== null && manifest.expiresAt <= readAt;
      if (manifest.files.length > 0 && changed.length === 0 && !hasExpired) return "unchanged";
      const rewriting = { before: manifest, changed, hasExpired };
      const written = await writeFiles({ project, day }, "day", randomUUID(), rewriting);
      if ((await manifests.publish(manifest, { readAt, ...written })) === null) {
        await remove(written, manifest);
        return "overtaken";
      }
      // At once: who reads a folder would count the traces of both generations, and what was deleted has to go.
      await remove(manifest, written);
      await changes.clear(
        project,
        changed.filter(({ at }) => at < readAt - indexLag),
      );
      return "written";
    },

    addParts: async (project, day, until, withSpans) => {
      const manifest = await manifests.get(project, day);
      if (closingState(manifest ?? undefined) !== "closed" || manifest === null) return true;
      const isBegun = manifest.spans !== null || !withSpans;
      const isWhole = coversDay(day, manifest.words) && (manifest.spans === null || coversDay(day, manifest.spans));
      if (isBegun && isWhole) return true;
      return await inFolder(async (folder) => {
        const traces = join(folder, "traces.parquet");
        const key = manifest.files.find(({ table }) => table === "traces")?.key ?? "";
        // Such as after a restored table: the day's next generation is made of rows.
        if (!(await objects.download(key, traces))) return true;
        // What has changed since the day was closed is marked: the reader looks at it, and the next generation has it.
        const first = isBegun ? manifest : await manifests.publish(manifest, { spans: [] });
        return first !== null && (await parts.finish(first, await startsOfParts(engine, traces), until, folder));
      });
    },

    index: (day, until, endFrom) => inFolder((folder) => parts.index(day, until, endFrom, folder)),

    snapshot: async (project, day, withSpans) => {
      const readAt = now();
      const { files } = await writeFiles({ project, day }, "snapshot", randomUUID(), null);
      const traces = files.find(({ table }) => table === "traces")?.rows ?? 0;
      const spans = withSpans && traces <= partTraces ? await snapshotSpans({ project, day }) : [];
      await snapshots.put(project, { day, readAt, files: [...files, ...spans] });
    },

    sweep: async (project, day) => {
      const oldest = now() - garbageMilliseconds;
      const keys = (await Promise.all(prefixesOf(project, day).map((prefix) => objects.list(prefix)))).flat();
      // Read after the list: a file that is published meanwhile is in it.
      const manifest = await manifests.get(project, day);
      const snapshotFiles = (await snapshots.list(project, day, day)).flatMap(({ files }) => files);
      const published = new Set([
        ...(manifest === null ? [] : keysOf(manifest)),
        ...snapshotFiles.map(({ key }) => key),
      ]);
      for (const key of keys) if (!published.has(key) && writtenAt(key) < oldest) await objects.remove(key);
    },
  };
};

import { createHash, randomUUID } from "node:crypto";
import { createReadStream } from "node:fs";
import { mkdtemp, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import type { Instant } from "../domain/instant.ts";
import { exportedTables } from "../domain/lake/tables.ts";
import type { Database } from "../dynamo/database.ts";
import { lakeChanges } from "../store/lake/changes.ts";
import type { ProjectDay } from "../store/lake/due-days.ts";
import type { LakeFile } from "../store/lake/lake-file.ts";
import { lakeManifests, type Manifest } from "../store/lake/manifests.ts";
import { lakeSnapshots } from "../store/lake/snapshots.ts";
import { firstExpiry, writeDayFiles, type DayPaths } from "./day-files.ts";
import { dayLines } from "./day-lines.ts";
import type { LakeEngine } from "./engine.ts";
import { keyOfFile, prefixesOf, writtenAt } from "./object-keys.ts";
import type { ObjectStore } from "./object-store.ts";

/**
 * Milliseconds for which a day is closing before its rows are read. Stream workers look whether a day is closed at most 60 s late; a
 * change that is committed after the reading is thus marked. The rest is for batches that wait or are delivered again.
 */
export const closingMilliseconds = 20 * 60_000;

/** Milliseconds by which an index of scores may lag: marks that are younger when the reading begins are kept. */
const indexLag = 5 * 60_000;

/** Milliseconds after which a file that nobody has published is deleted: its writer has ended, and links to it as well. */
export const garbageMilliseconds = 30 * 60_000;

/** What a pass did to a day. */
type DayOutcome = "closing" | "unchanged" | "written" | "overtaken";

const sha256Of = async (path: string): Promise<string> => {
  const hash = createHash("sha256");
  await pipeline(createReadStream(path), hash);
  return hash.digest("hex");
};

/** What has changed in a day since the files of a manifest. */
interface Rewriting {
  readonly files: readonly LakeFile[];
  readonly changed: readonly Instant[];
}

/** Writes the files of days. */
export interface DayWriter {
  /**
   * Takes one step with a UTC day that is over: begins to close it, writes its first files 20 minutes later, and writes them again
   * with what has changed or expired since. It can be called at any time, by several functions at once, and be killed anywhere: the
   * manifest always names the complete files of one generation, and the files of the earlier one are deleted at once.
   */
  write(project: string, day: string): Promise<DayOutcome>;
  /** Writes a snapshot of a day, open or not, for an export. */
  snapshot(project: string, day: string): Promise<void>;
  /** Deletes the files of a day that neither its manifest nor a snapshot names. */
  sweep(project: string, day: string): Promise<void>;
}

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
    for (const table of exportedTables) {
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
      const isRewriting = rewriting !== null && (await download(rewriting.files, before));
      await writeLines(day, isRewriting ? rewriting.changed : null, lines);
      const previous = isRewriting ? { files: before, changed: rewriting.changed, now: now() } : null;
      const files: LakeFile[] = [];
      let expiresAt: number | null = null;
      for (const { table, path, rows } of await writeDayFiles(engine, lines, previous, folder)) {
        if (table === "traces") expiresAt = await firstExpiry(engine, path);
        const [sha256, { size: bytes }] = [await sha256Of(path), await stat(path)];
        const key = keyOfFile({ kind, table, ...day }, now(), writer);
        await objects.put(key, path, sha256);
        files.push({ table, key, rows, bytes, sha256 });
      }
      return { files, expiresAt };
    });

  const remove = async (files: readonly LakeFile[]): Promise<void> => {
    for (const { key } of files) await objects.remove(key);
  };

  const rewritingOf = ({ generation, files }: Manifest, changed: readonly Instant[]): Rewriting | null =>
    generation === 0 ? null : { files, changed };

  return {
    write: async (project, day) => {
      const manifest = await manifests.get(project, day);
      if (manifest === null) await manifests.close(project, day);
      const readAt = now();
      if (manifest === null || readAt < manifest.since + closingMilliseconds) return "closing";
      const changed = await changes.list(project, day);
      const hasExpired = manifest.expiresAt !== null && manifest.expiresAt <= readAt;
      if (manifest.generation > 0 && changed.length === 0 && !hasExpired) return "unchanged";
      const writer = randomUUID();
      const instants = changed.map(({ startedAt }) => startedAt);
      const written = await writeFiles({ project, day }, "day", writer, rewritingOf(manifest, instants));
      if (!(await manifests.publish(manifest, { writer, readAt, ...written }))) {
        await remove(written.files);
        return "overtaken";
      }
      // At once: who reads a folder would count the traces of both generations, and what was deleted has to go.
      await remove(manifest.files);
      await changes.clear(
        project,
        changed.filter(({ at }) => at < readAt - indexLag),
      );
      return "written";
    },

    snapshot: async (project, day) => {
      const readAt = now();
      const { files } = await writeFiles({ project, day }, "snapshot", randomUUID(), null);
      await snapshots.put(project, { day, readAt, files });
    },

    sweep: async (project, day) => {
      const oldest = now() - garbageMilliseconds;
      const keys = (await Promise.all(prefixesOf(project, day).map((prefix) => objects.list(prefix)))).flat();
      // Read after the list: a file that is published meanwhile is in it.
      const manifest = await manifests.get(project, day);
      const files = [
        ...(manifest?.files ?? []),
        ...(await snapshots.list(project, day, day)).flatMap((each) => each.files),
      ];
      const published = new Set(files.map(({ key }) => key));
      for (const key of keys) if (!published.has(key) && writtenAt(key) < oldest) await objects.remove(key);
    },
  };
};

import { createHash, randomUUID } from "node:crypto";
import { createReadStream } from "node:fs";
import { mkdtemp, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { instantAt } from "../domain/instant.ts";
import type { Database } from "../dynamo/database.ts";
import { lakeChanges, type LakeChange } from "../store/lake/changes.ts";
import { dayScores } from "../store/lake/day-scores.ts";
import { lakeManifests, type LakeFile, type Manifest } from "../store/lake/manifests.ts";
import { projectNames } from "../store/traces/facts/names.ts";
import { rowScan } from "../store/traces/row-scan.ts";
import { rowTables, writeDayFiles, type DayPaths } from "./day-files.ts";
import type { LakeEngine } from "./engine.ts";
import { lineFile } from "./line-file.ts";
import type { ObjectStore } from "./object-store.ts";
import { lakeScoreRow } from "./score-row.ts";
import { lakeTraceRow } from "./trace-row.ts";

/**
 * Milliseconds for which a day is closing before its rows are read. Stream workers look whether a day is closed at most 60 s late; a
 * change that is committed after the reading is thus marked. The rest is for batches that wait or are delivered again.
 */
export const closingMilliseconds = 20 * 60_000;

/** Milliseconds by which an index of scores may lag: marks that are younger when the reading begins are kept. */
const indexLag = 5 * 60_000;

/** Milliseconds by which clocks of functions may differ: no score is older than the arrival of its trace by more. */
const clockSkew = 3_600_000;

/** Milliseconds after which files outside the manifest are deleted: readers and writers that knew them have ended. */
const garbageMilliseconds = 3_600_000;

/** What a pass did to a day. */
type DayOutcome = "closing" | "unchanged" | "written" | "overtaken";

/** Returns the prefix of a day's files of a table, as Athena, Spark and DuckDB read partitions. */
const prefixOf = (table: string, project: string, day: string): string => `${table}/project=${project}/day=${day}/`;

/** Returns the name of a file, which begins with the time of its writing: after a while it shows that nobody published it. */
const fileName = (at: number, generation: number, writer: string): string => `${at}-${generation}-${writer}.parquet`;

const writtenAt = (key: string): number => Number.parseInt(key.slice(key.lastIndexOf("/") + 1), 10);

const sha256Of = async (path: string): Promise<string> => {
  const hash = createHash("sha256");
  await pipeline(createReadStream(path), hash);
  return hash.digest("hex");
};

/** Writes the files of closed days. */
export interface DayWriter {
  /**
   * Takes one step with a UTC day that is over: begins to close it, writes its first files 20 minutes later, and writes them again
   * with what has changed since. It can be called at any time, by several functions at once, and be killed anywhere: the manifest
   * always names the complete files of one generation.
   */
  write(project: string, day: string): Promise<DayOutcome>;
  /** Deletes the files of a day that its manifest does not name. */
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
  const [scan, scores, names] = [rowScan(database, now), dayScores(database, now), projectNames(database)];

  /** Writes rows and scores as lines: all of a day, or those of the instants that have changed. */
  const writeLines = async (
    { project, day }: Manifest,
    changed: readonly LakeChange[] | null,
    paths: DayPaths,
  ): Promise<void> => {
    const { models, tools } = await names.list(project);
    const byNumber = {
      models: new Map(Array.from(models, ([name, number]) => [number, name])),
      tools: new Map(Array.from(tools, ([name, number]) => [number, name])),
    };
    const [traceLines, scoreLines] = [lineFile(paths.traces), lineFile(paths.scores)];
    try {
      const incarnations = new Map<string, string>();
      let firstArrival = now();
      const addTrace: Parameters<typeof scan.all>[3] = (trace, expiresAt) => {
        incarnations.set(trace.traceId, trace.incarnation ?? "");
        firstArrival = Math.min(firstArrival, trace.arrivedAt);
        traceLines.add(lakeTraceRow(trace, byNumber, expiresAt));
      };
      const addScore: Parameters<typeof scores.since>[2] = ({ score, incarnation }) => {
        if (incarnations.get(score.trace_id) === incarnation) scoreLines.add(lakeScoreRow(score));
      };
      const reading = { strongly: true, withIncarnations: true };
      if (changed === null) {
        const to = instantAt(Date.parse(`${day}T00:00:00Z`) + 86_400_000);
        await scan.all(project, { from: `${day}T00:00:00+00:00`, to }, reading, addTrace);
        await scores.since(project, instantAt(firstArrival - clockSkew), addScore);
      } else {
        const instants = changed.map(({ startedAt }) => startedAt);
        await scan.at(project, day, instants, reading, addTrace);
        await scores.of(project, incarnations, addScore);
      }
    } finally {
      traceLines.close();
      scoreLines.close();
    }
  };

  /** Writes the next generation of files to the store. */
  const writeFiles = async (
    manifest: Manifest,
    changed: readonly LakeChange[],
    writer: string,
    work: string,
  ): Promise<readonly LakeFile[]> => {
    const { project, day, generation } = manifest;
    const pathsOf = (suffix: string): DayPaths => ({
      traces: join(work, `traces${suffix}`),
      scores: join(work, `scores${suffix}`),
    });
    const [lines, earlier] = [pathsOf(".ndjson"), pathsOf("-before.parquet")];
    const isFirst = generation === 0;
    if (!isFirst)
      for (const table of rowTables) {
        const file = manifest.files.find((each) => each.table === table);
        if (file === undefined) throw new Error(`The manifest of ${day} has no file of ${table}.`);
        await objects.download(file.key, earlier[table]);
      }
    await writeLines(manifest, isFirst ? null : changed, lines);
    const previous = isFirst ? null : { files: earlier, changed: changed.map(({ startedAt }) => startedAt) };
    const files: LakeFile[] = [];
    for (const { table, path, rows } of await writeDayFiles(engine, lines, previous, work)) {
      const [sha256, { size: bytes }] = [await sha256Of(path), await stat(path)];
      const key = `${prefixOf(table, project, day)}${fileName(now(), generation + 1, writer)}`;
      await objects.put(key, path, sha256);
      files.push({ table, key, rows, bytes, sha256 });
    }
    return files;
  };

  return {
    write: async (project, day) => {
      const manifest = await manifests.get(project, day);
      if (manifest === null) await manifests.close(project, day);
      const startedAt = now();
      if (manifest === null || startedAt < manifest.since + closingMilliseconds) return "closing";
      const changed = await changes.list(project, day);
      if (manifest.generation > 0 && changed.length === 0) return "unchanged";
      const [writer, work] = [randomUUID(), await mkdtemp(join(directory, "day-"))];
      try {
        const files = await writeFiles(manifest, changed, writer, work);
        if (!(await manifests.publish(manifest, writer, files))) return "overtaken";
      } finally {
        await rm(work, { recursive: true, force: true });
      }
      await changes.clear(
        project,
        changed.filter(({ at }) => at < startedAt - indexLag),
      );
      return "written";
    },

    sweep: async (project, day) => {
      const oldest = now() - garbageMilliseconds;
      for (const table of rowTables) {
        const keys = await objects.list(prefixOf(table, project, day));
        // Read after the list: a file that is published meanwhile is in it.
        const files = new Set((await manifests.get(project, day))?.files.map(({ key }) => key));
        for (const key of keys) if (!files.has(key) && writtenAt(key) < oldest) await objects.remove(key);
      }
    },
  };
};

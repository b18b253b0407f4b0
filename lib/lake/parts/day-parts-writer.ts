import { endOfDay, instantAt, type Instant } from "../../domain/instant.ts";
import { documentTables } from "../../domain/lake/tables.ts";
import type { Database } from "../../dynamo/database.ts";
import { lakeChanges } from "../../store/lake/changes.ts";
import { coversDay, endOfParts } from "../../store/lake/day-parts.ts";
import { lastPass, type ProjectDay } from "../../store/lake/due-days.ts";
import { lakeManifests, type Manifest } from "../../store/lake/manifests.ts";
import { rowScan } from "../../store/traces/row-scan.ts";
import { partTraces } from "../day-files.ts";
import { keysOfPart } from "../object-keys.ts";
import type { ObjectStore } from "../object-store.ts";
import type { PartWriter } from "./part-writer.ts";

/**
 * Milliseconds for which a day, or a part of it, is closing before its rows are read. Stream workers look how far a day is closed at most
 * 60 s late; a change that is committed after the reading is thus marked. The rest is for batches that wait or are delivered again.
 */
export const closingMilliseconds = 20 * 60_000;

type Table = (typeof documentTables)[number];

const startOfDay = (day: string): Instant => `${day}T00:00:00+00:00`;

/** Adds parts to what the documents of days become, one by one: each is published by itself. */
export const dayPartsWriter = (
  database: Database,
  objects: ObjectStore,
  writers: Readonly<Record<Table, PartWriter>>,
  now: () => number = Date.now,
) => {
  const [manifests, changes] = [lakeManifests(database, now), lakeChanges(database, now)];
  const scan = rowScan(database, now);

  const removeParts = async (manifest: Manifest, kept: Manifest): Promise<void> => {
    const keptKeys = new Set(kept.words.flatMap(keysOfPart));
    for (const key of manifest.words.flatMap(keysOfPart)) if (!keptKeys.has(key)) await objects.remove(key);
  };

  /**
   * Adds parts up to an instant.
   *
   * @param starts instants at which parts end, ascending. @param until epoch milliseconds after which none is begun.
   * @returns the last manifest; null if another writer has published.
   */
  const add = async (
    first: Manifest,
    table: Table,
    [starts, end]: readonly [readonly Instant[], Instant],
    until: number,
    folder: string,
  ): Promise<Manifest | null> => {
    const { project, day } = first;
    let manifest = first;
    for (let parts = manifest[table]; parts !== null && endOfParts(day, parts) < end; parts = manifest[table]) {
      if (now() >= until) break;
      const from = endOfParts(day, parts);
      const to = starts.find((start) => start > from) ?? end;
      const part = await writers[table].add({ project, day }, { from, to }, folder);
      const published = await manifests.publish(manifest, { [table]: [...parts, part] });
      if (published === null) {
        for (const key of keysOfPart(part)) await objects.remove(key);
        return null;
      }
      manifest = published;
    }
    return manifest;
  };

  /** Returns the starts of every 20,000th trace of a range. */
  const startsIn = async (project: string, from: Instant, to: Instant): Promise<readonly Instant[]> => {
    const starts: Instant[] = [];
    await scan.all(project, { from, to }, { strongly: false }, ({ startedAt }) => void starts.push(startedAt));
    return starts.sort().filter((_, index) => index > 0 && index % partTraces === 0);
  };

  /** Writes the parts of the index again that have traces which changed before the last pass. @returns null if another writer has published. */
  const rewriteWords = async (
    manifest: Manifest,
    changed: readonly Instant[],
    folder: string,
  ): Promise<Manifest | null> => {
    const words = await writers.words.rewrite(
      manifest,
      manifest.words,
      { changed, hasExpired: false, traces: null },
      folder,
    );
    const published = await manifests.publish(manifest, { words });
    if (published === null) await removeParts({ ...manifest, words }, manifest);
    else await removeParts(manifest, published);
    return published;
  };

  /** Adds what is closed of an open day to its index. @returns null if another writer has published. */
  const extendWords = async (
    first: Manifest,
    end: Instant,
    until: number,
    folder: string,
  ): Promise<Manifest | null> => {
    const { project, day } = first;
    const marks = (await changes.list(project, day)).filter(({ scoresOnly }) => !scoresOnly);
    const indexed = endOfParts(day, first.words);
    const isDue = marks.some(({ startedAt, at }) => startedAt < indexed && at < lastPass(now()));
    const changed = marks.map(({ startedAt }) => startedAt);
    const rewritten = isDue ? await rewriteWords(first, changed, folder) : first;
    if (rewritten === null) return null;
    const from = endOfParts(day, rewritten.words);
    const starts = from < end ? await startsIn(project, from, end) : [];
    const extended = await add(rewritten, "words", [starts, end], until, folder);
    if (extended === null) return null;
    const [read, to] = [isDue ? startOfDay(day) : indexed, endOfParts(day, extended.words)];
    await changes.clear(
      project,
      marks.filter(({ startedAt }) => startedAt >= read && startedAt < to),
    );
    return extended;
  };

  return {
    /** Adds the parts that a closed day lacks. @param starts instants at which they end, ascending. @returns false if parts are missing. */
    finish: async (first: Manifest, starts: readonly Instant[], until: number, folder: string): Promise<boolean> => {
      const end = instantAt(endOfDay(first.day));
      let manifest: Manifest | null = first;
      for (const table of documentTables) {
        manifest = await add(manifest, table, [starts, end], until, folder);
        if (manifest === null) return false;
      }
      return coversDay(first.day, manifest.words) && (manifest.spans === null || coversDay(first.day, manifest.spans));
    },

    /**
     * Takes one step with the index of words of a day that has no files: adds what has been closed for 20 minutes, and closes more.
     *
     * @param endFrom says up to where the day may be closed beyond an instant; null for not at all.
     * @returns when the next step is to be taken, epoch milliseconds; null if that is left to further changes.
     */
    index: async (
      { project, day }: ProjectDay,
      until: number,
      endFrom: (from: Instant) => Promise<Instant | null>,
      folder: string,
    ): Promise<number | null> => {
      const first = await manifests.get(project, day);
      const closeMore = async (before: Manifest | null, from: Instant): Promise<number | null> => {
        const end = await endFrom(from);
        if (end === null) return null;
        if (before === null) await manifests.close(project, day, end);
        else await manifests.publish(before, { since: now(), end });
        return now() + closingMilliseconds;
      };
      if (first === null) return await closeMore(null, startOfDay(day));
      if (first.end === null) return null;
      const readableAt = first.since + closingMilliseconds;
      if (now() < readableAt) return readableAt;
      const extended = await extendWords(first, first.end, until, folder);
      if (extended === null) return null;
      return endOfParts(day, extended.words) < first.end ? now() : await closeMore(extended, first.end);
    },
  };
};

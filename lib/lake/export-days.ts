import { dayOf, endOfDay, instantAt } from "../domain/instant.ts";
import type { Database } from "../dynamo/database.ts";
import { countedHours } from "../store/hours/row-limit-check.ts";
import { lakeChanges } from "../store/lake/changes.ts";
import { coversDay } from "../store/lake/day-parts.ts";
import type { LakeFile } from "../store/lake/lake-file.ts";
import { closingState, lakeManifests, type Manifest } from "../store/lake/manifests.ts";
import { lakeSnapshots, type DaySnapshot } from "../store/lake/snapshots.ts";
import { traceDays } from "../store/traces/days.ts";
import { partTraces } from "./day-files.ts";
import { filesOfSpans } from "./object-keys.ts";
import { maxDayTraces } from "./write-due-days.ts";

/**
 * Milliseconds for which files of a day that changes are new enough for an export: a snapshot, and those of a closed day, whose marks of the
 * last five minutes stay when they are written.
 */
const [freshMilliseconds, settledMilliseconds] = [15 * 60_000, 6 * 60_000];

/** A UTC day of a project with its files. */
export interface ExportDay {
  readonly day: string;
  /** `open`: not over, or without files of its own; `closing`: in the minutes before its first files are written. */
  readonly status: "open" | "closing" | "closed";
  /** Instant as of which the files have the day, epoch milliseconds; null if there are none. */
  readonly asOf: number | null;
  /** Starts of traces that have changed since, up to 10,000; 0 for a day that is not closed. */
  readonly changes: number;
  /** Stored traces by their hourly sums, which follow within seconds. */
  readonly storedTraces: number;
  readonly files: readonly LakeFile[];
  /**
   * What its files have of the spans that are wanted: `missing` if no file has them yet, `different` if there are not as many as the traces
   * count, `later` if they are written once the day is closed.
   */
  readonly spans: "unwanted" | "whole" | "missing" | "different" | "later";
  /** True if the files have all of the day's traces, and the spans that are wanted, as far as is known. */
  readonly isComplete: boolean;
  /** True if the files need not be written for an export. */
  readonly isFresh: boolean;
  readonly isTooLarge: boolean;
}

/** Returns the newest files of a day, and as of when they have it. */
const filesOf = (
  manifest: Manifest | undefined,
  snapshot: DaySnapshot | undefined,
  changes: number,
): (Pick<DaySnapshot, "files" | "readAt"> & { readonly isSnapshot: boolean }) | null => {
  const ofSnapshot = snapshot === undefined ? null : { ...snapshot, isSnapshot: true };
  if (manifest === undefined || closingState(manifest) !== "closed") return ofSnapshot;
  const { day, files, readAt, spans } = manifest;
  if (changes > 0 && ofSnapshot !== null && ofSnapshot.readAt > readAt) return ofSnapshot;
  const spanFiles = spans !== null && coversDay(day, spans) ? filesOfSpans(spans) : [];
  return { files: [...files, ...spanFiles], readAt, isSnapshot: false };
};

const rowsIn = (files: readonly LakeFile[], name: LakeFile["table"]): number =>
  files.reduce((sum, { table, rows }) => sum + (table === name ? rows : 0), 0);

/** @param isLater true if a snapshot is not to have the spans of so many traces. */
const spansIn = (files: readonly LakeFile[], isLater: boolean): Exclude<ExportDay["spans"], "unwanted"> => {
  const [traces, rows] = [files.find(({ table }) => table === "traces"), rowsIn(files, "spans")];
  // A row for each trace and for each span that its row counts; a file of an earlier version does not say how many these are.
  const wanted = traces?.spans === undefined ? Math.max(1, rows) : traces.rows + traces.spans;
  if (rows === wanted) return "whole";
  // Documents of a snapshot are read after its rows; asked for again, others would have changed.
  if (rows > 0) return "different";
  return isLater ? "later" : "missing";
};

const byDay = <Item extends { readonly day: string }>(items: readonly Item[]): ReadonlyMap<string, Item> =>
  new Map(items.map((item) => [item.day, item]));

/** Returns a function that lists the days of a project that have traces, newest first, with their files and what these lack. */
export const exportDays = (database: Database, now: () => number = Date.now) => {
  const [days, hours] = [traceDays(database), countedHours(database, now)];
  const [manifests, snapshots] = [lakeManifests(database, now), lakeSnapshots(database, now)];
  const changes = lakeChanges(database, now);

  const storedByDay = async (project: string, first: string, last: string): Promise<ReadonlyMap<string, number>> => {
    const stored = new Map<string, number>();
    const range = { from: `${first}T00:00:00+00:00`, to: instantAt(endOfDay(last)) };
    for await (const { hour, traces } of hours(project, range)) {
      const day = dayOf(hour);
      stored.set(day, (stored.get(day) ?? 0) + traces);
    }
    return stored;
  };

  /** @param wantsSpans true if a day is complete with its spans only. */
  return async (project: string, first: string, last: string, wantsSpans: boolean): Promise<readonly ExportDay[]> => {
    const range = { from: `${first}T00:00:00+00:00`, to: `${last}T23:59:59+00:00` };
    const [listed, storedTraces, changesOfDays, manifestList, snapshotList] = await Promise.all([
      days.list(project, false, range),
      storedByDay(project, first, last),
      changes.countByDay(project, first, last),
      manifests.list(project, first, last),
      snapshots.list(project, first, last),
    ]);
    const [manifestOf, snapshotOf] = [byDay(manifestList), byDay(snapshotList)];
    const at = now();
    return listed.map(({ day }): ExportDay => {
      const manifest = manifestOf.get(day);
      const [changed, stored] = [changesOfDays.get(day) ?? 0, storedTraces.get(day) ?? 0];
      const newest = filesOf(manifest, snapshotOf.get(day), changed);
      const files = newest?.files ?? [];
      const isSnapshot = newest?.isSnapshot !== false;
      const spans = wantsSpans ? spansIn(files, isSnapshot && stored > partTraces) : "unwanted";
      const hasExpired = (manifest?.expiresAt ?? at) < at;
      const isUnchanged = !isSnapshot && changed === 0 && !hasExpired;
      const asOf = isUnchanged ? at : (newest?.readAt ?? null);
      return {
        day,
        status: closingState(manifest),
        asOf,
        changes: isSnapshot ? 0 : changed,
        storedTraces: stored,
        files,
        spans,
        isComplete:
          newest !== null &&
          rowsIn(files, "traces") === stored &&
          (isUnchanged || isSnapshot) &&
          (spans === "unwanted" || spans === "whole"),
        isFresh:
          asOf !== null && asOf > at - (isSnapshot ? freshMilliseconds : settledMilliseconds) && spans !== "missing",
        isTooLarge: stored > maxDayTraces,
      };
    });
  };
};

/** Says what the files of a day lack; null if they are complete. */
export const missingText = ({
  day,
  asOf,
  changes,
  storedTraces,
  files,
  spans,
  isComplete,
  isTooLarge,
}: ExportDay): string | null => {
  if (isComplete) return null;
  if (isTooLarge)
    return `${day} has more than ${maxDayTraces.toLocaleString("en")} traces: no files are written of it.`;
  if (asOf === null) return `${day} has no files yet. They are being written: send the request again in a minute.`;
  const rows = rowsIn(files, "traces");
  if (rows === storedTraces && changes === 0 && spans === "later")
    return `${day} is not closed, and has more than ${partTraces.toLocaleString("en")} traces: its spans are exported once it is closed.`;
  if (rows === storedTraces && changes === 0 && spans === "missing")
    return `${day} has no spans in its files yet. They are being written: send the request again in a minute.`;
  if (rows === storedTraces && changes === 0 && spans === "different")
    return `${day} has other spans in its files than its traces count: documents changed while they were read, or one cannot be read.`;
  const counts = `${day} has ${rows} traces in its files as of ${instantAt(asOf)}, and ${storedTraces} are stored.`;
  const starts = changes === 1 ? "one start" : `${changes} starts`;
  return changes === 0
    ? counts
    : `${counts} Traces of ${starts} have changed since then, or in the five minutes before.`;
};

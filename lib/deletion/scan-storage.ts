import { setTimeout as wait } from "node:timers/promises";
import { ValiError } from "valibot";
import { allEnded } from "../async/all-ended.ts";
import { type Deletion, isScannedFor, wantsScan } from "../domain/access/deletion.ts";
import type { Database } from "../store/database.ts";
import { deletionStore } from "../store/deletion/deletions.ts";
import { eraseItems } from "../store/erase-items.ts";
import { closeBooks } from "../store/spend/close.ts";
import { closeRun } from "../store/runs/erase.ts";
import { bookPrefix, runOfBook } from "../store/spend/items.ts";
import { orphanParts } from "../store/remains/orphan-parts.ts";
import {
  type RunningScan,
  type ScanProgress,
  scanProgress,
  type SegmentPlace,
  type TableSizes,
} from "../store/deletion/scan-progress.ts";
import {
  type FoundItem,
  projectOfKey,
  projectTables,
  type ProjectTable,
  type ScannedPage,
  scanPage,
} from "../store/deletion/table-scan.ts";

/** What a worker did of a scan. */
export interface ScanReport {
  readonly pages: number;
  /** Items of deleted projects that no list led to. */
  readonly strays: number;
  /** Parts of traces' documents that no row names. */
  readonly orphans: number;
  /** Items that could not be read, and were left where they are unless their project is deleted. */
  readonly unreadable: number;
}

/** What writers that died have left of living projects is looked for this often. */
const periodMilliseconds = 30 * 86_400_000;

/** A page costs 128 read units or less: a third of what one partition gives is left to the scan. */
const pageMilliseconds = 125;

/** DynamoDB keeps 10 GB in a partition at most: so many pages in a segment, and no two are at one partition. */
const segmentPages = 10_240;

/** As many as a function of this size has time for. */
const mostSegments = 8;

const nothing: ScanReport = { pages: 0, strays: 0, orphans: 0, unreadable: 0 };

const isDue = ({ running, last }: ScanProgress, deletions: readonly Deletion[], now: number): boolean =>
  running !== null ||
  deletions.some((deletion) => wantsScan(deletion, last, now)) ||
  now - (last ?? 0) >= periodMilliseconds;

/** The beginning of a table, in as many segments as it is large. */
const beginningOf = (table: ProjectTable, begunAt: number, sizes: TableSizes): RunningScan => {
  const length = Math.min(mostSegments, Math.max(1, Math.floor((sizes[table] ?? 0) / segmentPages)));
  return { begunAt, table, places: Array.from({ length }, () => ({ from: undefined, done: false, pages: 0 })) };
};

/**
 * Goes on with a scan of all tables, for all deletions that wait for their proof and for what is left of living projects:
 * once a month, and when a deletion waits. It removes what no list leads to, of deleted projects whatever it is, of others the
 * parts of documents that no row names.
 */
export const storageScanning = (database: Database, now: () => number = Date.now) => {
  const deletions = deletionStore(database, now);
  const progress = scanProgress(database, now);
  const orphans = orphanParts(database, now);
  const [close, closeOf] = [closeBooks(database, now), closeRun(database, now)];

  /** Runs are closed as long as their slices can say what they have cost. One that cannot be read has said nothing. */
  const closeRuns = async (project: string, found: readonly FoundItem[]): Promise<void> => {
    for (const run of new Set(found.map(({ pk }) => runOfBook(String(pk)).run))) {
      try {
        await closeOf(project, run);
      } catch (error) {
        if (!(error instanceof ValiError)) throw error;
      }
    }
  };

  /**
   * Closes the books among what was found: what they say was spent stays in the budgets of others. One that cannot be read tells
   * nothing, and goes like anything else.
   *
   * @returns what is to be removed as it is.
   */
  const withoutBooks = async (project: string, found: readonly FoundItem[]): Promise<readonly FoundItem[]> => {
    const isBook = ({ sk }: FoundItem): boolean => typeof sk === "string" && sk.startsWith(bookPrefix);
    const byRun = Map.groupBy(found.filter(isBook), ({ pk }) => runOfBook(String(pk)).run);
    const unreadable: FoundItem[] = [];
    for (const [run, books] of byRun) {
      try {
        for await (const _ of close(project, run));
      } catch (error) {
        if (!(error instanceof ValiError)) throw error;
        unreadable.push(...books);
      }
    }
    return [...found.filter((item) => !isBook(item)), ...unreadable];
  };

  const eraseStrays = async ({ begunAt, table }: RunningScan, { items }: ScannedPage, doomed: ReadonlySet<string>) => {
    let strays = 0;
    const own = Map.groupBy(items, (item) => projectOfKey(item) ?? "");
    for (const [project, found] of own) {
      if (!doomed.has(project)) continue;
      // Noted first: a worker that dies in between must not leave a proof behind.
      await deletions.noteStrays(project, found.length, begunAt);
      if (table === "runs") await closeRuns(project, found);
      const left = table === "spend" ? await withoutBooks(project, found) : found;
      await eraseItems(database, table, left);
      strays += found.length;
    }
    return strays;
  };

  /**
   * Does nothing when nothing is to be done, or another worker is at it.
   *
   * @param budget milliseconds.
   * @throws what a segment failed with, after the others have gone on; what was done is noted.
   */
  return async (budget: number): Promise<ScanReport> => {
    const until = now() + budget;
    const open = await deletions.open();
    if (!isDue(await progress.read(), open, now())) return nothing;
    const claimed = await progress.claim();
    if (claimed === null) return nothing;
    let running: RunningScan | null = claimed.running ?? beginningOf(projectTables[0], now(), claimed.sizes);
    const { begunAt } = running;
    const doomed = new Set(open.filter((deletion) => isScannedFor(deletion, begunAt)).map(({ id }) => id));
    const report = { ...nothing };
    const sizes: Record<string, number> = { ...claimed.sizes };
    const failures: unknown[] = [];

    /** Goes on with a segment to its end, for as long as there is time. */
    const goThrough = async (scan: RunningScan, segment: number): Promise<SegmentPlace> => {
      let at = scan.places[segment] ?? { from: undefined, done: true, pages: 0 };
      try {
        while (!at.done && now() < until) {
          const page = await scanPage(database, scan.table, at.from, segment, scan.places.length);
          report.pages += 1;
          report.unreadable += page.unreadable;
          const strays = await eraseStrays(scan, page, doomed);
          report.strays += strays;
          if (scan.table === "bodies") {
            const { removed, unreadable } = await orphans.remove(page.items);
            report.orphans += removed;
            report.unreadable += unreadable;
          }
          at = { from: page.next, done: page.next === undefined, pages: at.pages + 1 };
          if (!at.done) await wait(pageMilliseconds);
        }
      } catch (error) {
        failures.push(error);
      }
      return at;
    };

    while (running !== null && now() < until && failures.length === 0) {
      const scan: RunningScan = running;
      const places = await allEnded(scan.places.map((_, segment) => goThrough(scan, segment)));
      running = { ...scan, places };
      if (places.some(({ done }) => !done)) continue;
      sizes[scan.table] = places.reduce((sum, { pages }) => sum + pages, 0);
      const following = projectTables[projectTables.indexOf(scan.table) + 1];
      running = following === undefined ? null : beginningOf(following, begunAt, sizes);
    }
    await progress.leave({ running, last: running === null ? begunAt : claimed.last, sizes });
    if (failures.length > 0)
      throw new AggregateError(failures, `Segments of ${running?.table} that could not be read.`);
    return report;
  };
};

import { setTimeout as wait } from "node:timers/promises";
import { ValiError } from "valibot";
import { awaitAll } from "../async/concurrency.ts";
import { type Deletion, isRemovableByScan, needsScan } from "../domain/access/deletion.ts";
import type { Database } from "../dynamo/database.ts";
import { deletionStore } from "../store/deletion/deletions.ts";
import { eraseItems } from "../dynamo/erase-items.ts";
import { closeLedger } from "../store/spend/close-ledger.ts";
import { closeRun } from "../store/runs/erase.ts";
import { ledgerEntryPrefix, runOfLedger } from "../store/spend/items.ts";
import { failedEntries } from "./failed-entries.ts";
import { failedLists } from "../store/totals/failed-lists.ts";
import { orphanParts } from "../store/garbage/orphan-parts.ts";
import {
  type RunningScan,
  type ScanProgress,
  scanProgress,
  type SegmentPosition,
  type TableSizes,
} from "../store/deletion/scan-progress.ts";
import {
  type ScannedItem,
  projectOfKey,
  projectTables,
  type ProjectTable,
  type ScannedPage,
  scanPage,
} from "../store/deletion/table-scan.ts";

/** Counts of one worker's share of a table scan. */
export interface ScanReport {
  readonly pages: number;
  /** Items of deleted projects that no list contains. */
  readonly strays: number;
  /** Removed parts of traces' documents that no row refers to. */
  readonly orphans: number;
  /** Items that could not be parsed; kept unless their project is deleted. */
  readonly unreadable: number;
}

/** Interval of scans without a deletion, in milliseconds: they find garbage that dead writers left in existing projects. */
const periodMilliseconds = 30 * 86_400_000;

/** Pause between two pages of a segment, in milliseconds. A page costs at most 128 read units, so the scan uses a third of a partition's capacity. */
const pageMilliseconds = 125;

/** Pages per scan segment: 10 GB, the max size of a DynamoDB partition, so that no two segments read the same partition. */
const segmentPages = 10_240;

/** Max concurrent segments: the number that a function of this memory size can process. */
const maxSegments = 8;

const emptyReport: ScanReport = { pages: 0, strays: 0, orphans: 0, unreadable: 0 };

const isDue = (
  { running, last }: ScanProgress,
  deletions: readonly Deletion[],
  scanFrom: number | null,
  now: number,
): boolean =>
  running !== null ||
  (scanFrom !== null && now >= scanFrom) ||
  deletions.some((deletion) => needsScan(deletion, last, now)) ||
  now - (last ?? 0) >= periodMilliseconds;

/** Returns the start positions of a table's scan, with a number of segments by the table's size in pages. */
const startOfTable = (table: ProjectTable, begunAt: number, sizes: TableSizes): RunningScan => {
  const length = Math.min(maxSegments, Math.max(1, Math.floor((sizes[table] ?? 0) / segmentPages)));
  return { begunAt, table, places: Array.from({ length }, () => ({ from: undefined, done: false, pages: 0 })) };
};

/**
 * Continues a scan of all tables, which runs once a month and whenever a deletion needs one for its proof. The scan removes
 * every item of deleted projects, and in other projects the document parts that no row refers to. It enters failed runs and
 * scores of earlier versions into their lists, and stores the numbers of their scores.
 */
export const storageScan = (database: Database, now: () => number = Date.now) => {
  const deletions = deletionStore(database, now);
  const progress = scanProgress(database, now);
  const orphans = orphanParts(database, now);
  const additions = [failedLists(database, now), failedLists(database, now, "score-numbers")];
  const enterFailed = failedEntries(database);
  const [closeLedgerEntriesOf, closeOneRun] = [closeLedger(database, now), closeRun(database, now)];

  /** Closes the given runs, which records their cost from their slices before the slices are removed. Runs that cannot be parsed are skipped. */
  const closeRuns = async (project: string, projectItems: readonly ScannedItem[]): Promise<void> => {
    for (const run of new Set(projectItems.map(({ pk }) => runOfLedger(String(pk)).run))) {
      try {
        await closeOneRun(project, run);
      } catch (error) {
        if (!(error instanceof ValiError)) throw error;
      }
    }
  };

  /**
   * Closes the ledger entries among the items, so that the cost they record stays in the budgets of the organization and the
   * deployment.
   *
   * @returns the items left to remove: all others, and ledger entries that cannot be parsed.
   */
  const closeLedgerEntries = async (
    project: string,
    projectItems: readonly ScannedItem[],
  ): Promise<readonly ScannedItem[]> => {
    const isLedgerEntry = ({ sk }: ScannedItem): boolean => typeof sk === "string" && sk.startsWith(ledgerEntryPrefix);
    const byRun = Map.groupBy(projectItems.filter(isLedgerEntry), ({ pk }) => runOfLedger(String(pk)).run);
    const unreadable: ScannedItem[] = [];
    for (const [run, entries] of byRun) {
      try {
        for await (const _ of closeLedgerEntriesOf(project, run));
      } catch (error) {
        if (!(error instanceof ValiError)) throw error;
        unreadable.push(...entries);
      }
    }
    return [...projectItems.filter((item) => !isLedgerEntry(item)), ...unreadable];
  };

  const eraseStrays = async (
    { begunAt, table }: RunningScan,
    { items }: ScannedPage,
    deletedProjects: ReadonlySet<string>,
  ) => {
    let strays = 0;
    const itemsByProject = Map.groupBy(items, (item) => projectOfKey(item) ?? "");
    for (const [project, projectItems] of itemsByProject) {
      if (!deletedProjects.has(project)) continue;
      // Recorded first, so that a worker that dies before the removal does not leave the deletion proved.
      await deletions.countStrays(project, projectItems.length, begunAt);
      if (table === "runs") await closeRuns(project, projectItems);
      const removableItems = table === "spend" ? await closeLedgerEntries(project, projectItems) : projectItems;
      await eraseItems(database, table, removableItems);
      strays += projectItems.length;
    }
    return strays;
  };

  /**
   * Continues the table scan; does nothing if no scan is due or another worker is scanning.
   *
   * @param budget milliseconds of work.
   * @throws AggregateError of the segments that failed, after the others continued and the progress was stored.
   */
  return async (budget: number): Promise<ScanReport> => {
    const until = now() + budget;
    const open = await deletions.open();
    const { last, running: earlier, ...current } = await progress.read();
    const isNew = last === null && earlier === null;
    const scansFrom = await Promise.all(additions.map((addition) => addition.scanFrom(isNew)));
    const scanFrom = scansFrom.reduce((first, from) => (first === null ? from : Math.min(first, from ?? first)), null);
    if (!isDue({ ...current, last, running: earlier }, open, scanFrom, now())) return emptyReport;
    const claimed = await progress.claim();
    if (claimed === null) return emptyReport;
    let running: RunningScan | null = claimed.running ?? startOfTable(projectTables[0], now(), claimed.sizes);
    const { begunAt } = running;
    const deletedProjects = new Set(
      open.filter((deletion) => isRemovableByScan(deletion, begunAt)).map(({ id }) => id),
    );
    const report = { ...emptyReport };
    const sizes: Record<string, number> = { ...claimed.sizes };
    const failures: unknown[] = [];

    /** Continues a segment to its end or until time runs out, and returns the position reached. */
    const scanSegment = async (scan: RunningScan, segment: number): Promise<SegmentPosition> => {
      let position = scan.places[segment] ?? { from: undefined, done: true, pages: 0 };
      try {
        while (!position.done && now() < until) {
          const page = await scanPage(database, scan.table, position.from, segment, scan.places.length);
          report.pages += 1;
          report.unreadable += page.unreadable;
          const strays = await eraseStrays(scan, page, deletedProjects);
          await enterFailed(scan.table, page.items);
          report.strays += strays;
          if (scan.table === "bodies") {
            const { removed, unreadable } = await orphans.remove(page.items);
            report.orphans += removed;
            report.unreadable += unreadable;
          }
          position = { from: page.next, done: page.next === undefined, pages: position.pages + 1 };
          if (!position.done) await wait(pageMilliseconds);
        }
      } catch (error) {
        failures.push(error);
      }
      return position;
    };

    while (running !== null && now() < until && failures.length === 0) {
      const scan: RunningScan = running;
      const places = await awaitAll(scan.places.map((_, segment) => scanSegment(scan, segment)));
      running = { ...scan, places };
      if (places.some(({ done }) => !done)) continue;
      sizes[scan.table] = places.reduce((sum, { pages }) => sum + pages, 0);
      const nextTable = projectTables[projectTables.indexOf(scan.table) + 1];
      running = nextTable === undefined ? null : startOfTable(nextTable, begunAt, sizes);
    }
    for (const [index, addition] of additions.entries())
      if (running === null && begunAt >= (scansFrom[index] ?? Infinity)) await addition.complete();
    await progress.release({ running, last: running === null ? begunAt : claimed.last, sizes });
    if (failures.length > 0)
      throw new AggregateError(failures, `Segments of ${running?.table} that could not be read.`);
    return report;
  };
};

import { setTimeout as wait } from "node:timers/promises";
import { type Deletion, isRipe, wantsScan } from "../domain/access/deletion.ts";
import type { Database } from "../store/database.ts";
import { deletionStore } from "../store/deletion/deletions.ts";
import { eraseItems } from "../store/erase-items.ts";
import { orphanParts } from "../store/traces/orphan-parts.ts";
import { type RunningScan, type ScanProgress, scanProgress } from "../store/deletion/scan-progress.ts";
import { projectOfKey, projectTables, type ScannedPage, scanPage } from "../store/deletion/table-scan.ts";

/** What a worker did of a scan. */
export interface ScanReport {
  readonly pages: number;
  /** Items of deleted projects that no list led to. */
  readonly strays: number;
  /** Parts of traces' documents that no row names. */
  readonly orphans: number;
}

/** What writers that died have left of living projects is looked for this often. */
const periodMilliseconds = 30 * 86_400_000;

/** A page costs 128 read units or less: a third of what one partition gives is left to the scan. */
const pageMilliseconds = 125;

const nothing: ScanReport = { pages: 0, strays: 0, orphans: 0 };

const isDue = ({ running, last }: ScanProgress, deletions: readonly Deletion[], now: number): boolean =>
  running !== null ||
  deletions.some((deletion) => wantsScan(deletion, last, now)) ||
  now - (last ?? 0) >= periodMilliseconds;

/** The scan after a page of it; null at its end. */
const after = ({ begunAt, table }: RunningScan, { next }: ScannedPage): RunningScan | null => {
  if (next !== undefined) return { begunAt, table, from: next };
  const following = projectTables[projectTables.indexOf(table) + 1];
  return following === undefined ? null : { begunAt, table: following, from: undefined };
};

/**
 * Goes on with a scan of all tables: once a month, and when a deletion waits for its proof. It removes what no list leads
 * to, of deleted projects whatever it is, of others the parts of documents that no row names.
 */
export const storageScanning = (database: Database, now: () => number = Date.now) => {
  const deletions = deletionStore(database, now);
  const progress = scanProgress(database, now);
  const orphans = orphanParts(database, now);

  const eraseStrays = async (scan: RunningScan, { items }: ScannedPage, doomed: readonly Deletion[]) => {
    let strays = 0;
    for (const { id } of doomed) {
      const own = items.filter((item) => projectOfKey(item) === id);
      if (own.length === 0) continue;
      // Noted first: a worker that dies in between must not leave a proof behind.
      await deletions.noteStrays(id, own.length, scan.begunAt);
      strays += await eraseItems(database, scan.table, own);
    }
    return strays;
  };

  /** Does nothing when nothing is to be done, or another worker is at it. @param budget milliseconds. */
  return async (budget: number): Promise<ScanReport> => {
    const until = now() + budget;
    const open = await deletions.open();
    if (!isDue(await progress.read(), open, now())) return nothing;
    const claimed = await progress.claim();
    if (claimed === null) return nothing;
    const begin = (): RunningScan => ({ begunAt: now(), table: projectTables[0], from: undefined });
    let running: RunningScan | null = claimed.running ?? begin();
    const { begunAt } = running;
    const doomed = open.filter((deletion) => isRipe(deletion, begunAt));
    const report = { ...nothing };
    while (running !== null && now() < until) {
      const scan: RunningScan = running;
      const page = await scanPage(database, scan.table, scan.from);
      report.pages += 1;
      report.strays += await eraseStrays(scan, page, doomed);
      if (scan.table === "bodies") report.orphans += await orphans.remove(page.items);
      running = after(scan, page);
      if (page.next !== undefined) await wait(pageMilliseconds);
    }
    await progress.leave({ running, last: running === null ? begunAt : claimed.last });
    return report;
  };
};

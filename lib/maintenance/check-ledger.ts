import { setTimeout as wait } from "node:timers/promises";
import * as v from "valibot";
import { isTerminal } from "../domain/runs/run.ts";
import { monthOf } from "../domain/runs/budget.ts";
import { logLine } from "../log.ts";
import { existingProjects } from "../store/access/existing-projects.ts";
import { cursorStore } from "../dynamo/cursor.ts";
import type { Database } from "../dynamo/database.ts";
import { runDeletion } from "../store/runs/deletion.ts";
import { runStore } from "../store/runs/runs.ts";
import { repairShard, scanLedger, readShards, spendKey, type ScannedEntry } from "../store/spend/ledger-scan.ts";
import { spendStore } from "../store/spend/spend.ts";
import { addPage, rankBudgets, projectOfBudget } from "./budget-sums.ts";
import { publishRepair } from "./check-hour.ts";

const [hour, day] = [3_600_000, 86_400_000];

/** Milliseconds that a budget's shard must be unchanged before a scan to be compared: entries read by the scan may precede a later change. */
const quietMilliseconds = 600_000;

/** Max attempts at a day's check, an hour apart, when budgets change during the check. */
const maxTries = 4;

/** Pause between pages, in milliseconds. A page costs at most 256 read units: two thirds of a partition's capacity in that time. */
const pageMilliseconds = 125;

const state = v.object({
  /** Start of the next scan, epoch milliseconds. */
  nextAt: v.number(),
  /** Consecutive checks during which a budget changed. */
  tries: v.number(),
  /** The unfinished scan; null between scans. */
  scan: v.nullable(
    v.object({
      begunAt: v.number(),
      month: v.string(),
      from: v.nullable(spendKey),
      /** True if all pages were read and only the shards remain to be compared. */
      ended: v.boolean(),
      unreadable: v.number(),
      held: v.record(v.string(), v.pipe(v.array(v.number()), v.readonly())),
    }),
  ),
});
type State = v.InferOutput<typeof state>;
type LedgerScan = NonNullable<State["scan"]>;

/** Report of one call of the ledger check. */
export interface LedgerCheck {
  readonly pages: number;
  /** Ended runs whose remaining reservations were ended. */
  readonly released: number;
  readonly budgets: number;
  /** Shards that differed from the sum of their ledger entries and were repaired. */
  readonly wrongShards: number;
  /** Shards that could not be compared: they changed during the scan, or time ran out. */
  readonly openShards: number;
}

/**
 * Checks this month's budgets once a day: the used amount of each shard must equal its closed amount plus the reservations of
 * all ledger entries. Ends the reservations of ended runs. A shard that differs is repaired only if it has not changed
 * since before the scan, with a conditional write: an entry and its shards change in one transaction.
 */
export const ledgerChecker = (database: Database, now: () => number = Date.now) => {
  const cursor = cursorStore(database, { table: "spend", name: "book-check", ttlSeconds: (2 * day) / 1000 }, now);
  const [runs, findExistingProjects, spend] = [
    runStore(database, now),
    existingProjects(database),
    spendStore(database, now),
  ];
  const deletion = runDeletion(database, runs, now);

  /** Ends the reservations of an ended run whose last worker died before it could. @returns true if the run has ended. */
  const endReservations = async ({ project, run }: ScannedEntry): Promise<boolean> => {
    const storedRun = (await runs.read(project, run)) ?? (await deletion.find(project, run));
    if (storedRun !== null && storedRun.deletion === null && !isTerminal(storedRun.run.status)) return false;
    await spend.endReservations(project, run, async () =>
      storedRun === null ? new Map() : await deletion.costs(storedRun),
    );
    return true;
  };

  /** Scans ledger entries until the end of the table or until time runs out: sums them up and releases ended runs. */
  const scanPages = async (before: LedgerScan, until: number) => {
    let { from, ended, unreadable, held: sums }: LedgerScan = before;
    let [pages, released] = [0, 0];
    const checkedRuns = new Set<string>();
    while (!ended && (pages === 0 || now() < until)) {
      if (pages > 0) await wait(pageMilliseconds);
      const page = await scanLedger(database, from);
      for (const key of page.unreadable) logLine("book_not_readable", { key });
      for (const entry of page.entries.filter(
        ({ hasReservation, changedAt }) => hasReservation && now() - changedAt >= hour,
      )) {
        const name = `${entry.project} ${entry.run}`;
        if (checkedRuns.has(name) || now() >= until) continue;
        checkedRuns.add(name);
        if (await endReservations(entry)) released += 1;
      }
      sums = addPage(sums, page, before.month, before.begunAt);
      unreadable += page.unreadable.length;
      [from, ended] = [page.next, page.next === null];
      pages += 1;
    }
    return { scan: { ...before, from, ended, unreadable, held: sums }, pages, released };
  };

  /** Compares the shards of each budget with the scan's sums and repairs those that differ. */
  const compare = async ({ begunAt, held: sums }: LedgerScan, until: number) => {
    const counts = { budgets: 0, wrongShards: 0, openShards: 0 };
    const rankedBudgets = rankBudgets(Object.keys(sums), begunAt);
    const existingIds = await findExistingProjects(rankedBudgets.flatMap((budget) => projectOfBudget(budget) ?? []));
    for (const budget of rankedBudgets) {
      const project = projectOfBudget(budget);
      // The budget of a deleted project is erased with the project.
      if (project !== null && !existingIds.has(project)) continue;
      if (counts.budgets > 0 && now() >= until) {
        counts.openShards += 1;
        break;
      }
      counts.budgets += 1;
      for (const [index, shard] of (await readShards(database, budget)).entries()) {
        const difference = (shard?.used ?? 0) - (shard?.closed ?? 0) - (sums[budget]?.[index] ?? 0);
        if (difference === 0) continue;
        const isUnchanged = shard !== null && shard.changedAt + quietMilliseconds < begunAt;
        if (!isUnchanged || !(await repairShard(database, budget, index, shard, -difference, now()))) {
          counts.openShards += 1;
          continue;
        }
        counts.wrongShards += 1;
        publishRepair(project ?? undefined, { sum: "budget", budget, shard: index, micros: difference });
      }
    }
    return counts;
  };

  /** @param budget milliseconds of work. */
  return async (budget: number): Promise<LedgerCheck> => {
    const until = now() + budget;
    const counts = { pages: 0, released: 0, budgets: 0, wrongShards: 0, openShards: 0 };
    const cursorText = await cursor.get();
    const {
      nextAt,
      tries,
      scan: unfinishedScan,
    }: State = cursorText === null ? { nextAt: 0, tries: 0, scan: null } : v.parse(state, JSON.parse(cursorText));
    if (unfinishedScan === null && now() < nextAt) return counts;
    const month = monthOf(now());
    // At the turn of a month entries move from one monthly budget to the next, at slightly different times per worker clock.
    if (monthOf(now() - hour) !== month || monthOf(now() + hour) !== month) return counts;
    const newScan: LedgerScan = { begunAt: now(), month, from: null, ended: false, unreadable: 0, held: {} };
    const { scan, pages, released } = await scanPages(
      unfinishedScan?.month === month ? unfinishedScan : newScan,
      until,
    );
    const saveState = (next: State): Promise<void> => cursor.set(JSON.stringify(next));
    if (!scan.ended || (pages > 0 && now() >= until)) {
      await saveState({ nextAt, tries, scan });
      return { ...counts, pages, released };
    }
    // The sums are incomplete if any entry could not be parsed.
    const comparison = scan.unreadable > 0 ? counts : await compare(scan, until);
    const hasChanges = released > 0 || comparison.openShards > 0;
    const isRetry = hasChanges && tries + 1 < maxTries;
    await saveState({ nextAt: now() + (isRetry ? hour : day), tries: isRetry ? tries + 1 : 0, scan: null });
    return { ...comparison, pages, released };
  };
};

import { inTurns } from "../async/in-turns.ts";
import { shuffled } from "../domain/shuffled.ts";
import type { Item } from "../dynamo/items.ts";
import type { AccessPage } from "../store/access/scan.ts";
import type { Cursor, CursorLocation } from "../dynamo/cursor.ts";

/** Cursor of the reconciliation in the access table. */
export const accessCursor: CursorLocation = { table: "access", name: "access-reconciliation", ttlSeconds: 30 * 86_400 };

/** Items per page: the items and the data read for them stay below a megabyte. */
export const accessPageSize = 500;

/** Max repairs per pass: each may call API Gateway, whose control plane accepts a few calls a second per account. */
const maxRepairs = 20;

/** Max pages per pass, so that a table of any size costs at most a cent a day. */
const maxPages = 20;

/**
 * Finds inconsistencies in items, which may be outdated reads. What must not wait for one of the few repairs of a pass, it does
 * itself.
 *
 * @returns one idempotent repair function per inconsistency.
 */
type AccessCheck = (items: readonly Item[]) => Promise<readonly (() => Promise<unknown>)[]>;

/** Report of one reconciliation pass. */
export interface Reconciliation {
  readonly pages: number;
  readonly repaired: number;
  readonly failed: number;
  /** True if the pass had no time or no repairs left for an inconsistency it found. */
  readonly left: boolean;
  /** Errors of failed checks and repairs. */
  readonly failures: readonly unknown[];
}

interface ReconciliationDependencies {
  readonly scan: (from: string | null) => Promise<AccessPage>;
  readonly cursor: Cursor;
  readonly checks: readonly AccessCheck[];
  readonly now: () => number;
}

/**
 * Continues through the access table from the end of the last pass and repairs each inconsistency on its own, until the end
 * of the table or the limits of a pass. Pages after one with repairs left are only checked.
 *
 * The cursor is stored before a page is processed, so that a page that kills its worker is skipped until the next round. A
 * page with repairs left is read again unless all of its repairs fail; the repairs run in random order, so that those that
 * always fail do not block the others.
 */
export const accessReconciliation =
  ({ scan, cursor, checks, now }: ReconciliationDependencies) =>
  /** @param until epoch milliseconds after which no page or repair is started. */
  async (until: number): Promise<Reconciliation> => {
    const counts = { pages: 0, repaired: 0, failed: 0, left: false };
    const failures: unknown[] = [];
    let from = await cursor.get();
    do {
      const { items, next } = await scan(from);
      if (!counts.left) await cursor.set(next);
      counts.pages += 1;
      const checkResults = await Promise.allSettled(checks.map((check) => check(items)));
      const checkFailures = checkResults.flatMap((each) => (each.status === "rejected" ? [each.reason] : []));
      counts.failed += checkFailures.length;
      failures.push(...checkFailures);
      if (!counts.left) {
        const repairs = shuffled(checkResults.flatMap((each) => (each.status === "fulfilled" ? each.value : [])));
        const remainingRepairs = Math.max(0, maxRepairs - counts.repaired - counts.failed);
        const turns = await inTurns(repairs.slice(0, remainingRepairs), (repair) => repair(), { until, now });
        counts.repaired += turns.taken - turns.failed;
        counts.failed += turns.failed;
        failures.push(...turns.failures);
        counts.left = turns.isIncomplete || repairs.length > remainingRepairs;
        if (counts.left && (turns.taken > turns.failed || turns.taken === 0)) await cursor.set(from);
      }
      from = next;
    } while (from !== null && counts.pages < maxPages && now() < until);
    return { ...counts, failures };
  };

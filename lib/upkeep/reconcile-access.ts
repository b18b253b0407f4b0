import { inTurns } from "../async/in-turns.ts";
import type { Item } from "../store/access/items.ts";
import type { AccessPage } from "../store/access/scan.ts";
import type { Cursor, CursorPlace } from "../store/cursor.ts";

/** How far a reconciliation has come in the access table. */
export const accessPlace: CursorPlace = { table: "access", name: "access-reconciliation", kept: 30 * 86_400 };

/** Items of a page: what is read of them, and beside them, stays below a megabyte. */
export const itemsOfPage = 500;

/** Repairs of a pass: each may ask API Gateway, whose control plane takes a few calls a second from a whole account. */
const mostRepairs = 20;

/** Pages of a pass: a table of any size costs a cent a day or less. */
const mostPages = 20;

/** Finds what is wrong with some items, which may be old. @returns how each thing is mended; made again, it ends the same. */
type Look = (items: readonly Item[]) => Promise<readonly (() => Promise<unknown>)[]>;

/** What a pass did. */
export interface Reconciliation {
  readonly pages: number;
  readonly repaired: number;
  readonly failed: number;
  /** Whether it has seen something that it had no time or room for. */
  readonly left: boolean;
  /** What the first that failed threw. */
  readonly failures: readonly unknown[];
}

interface Parts {
  readonly scan: (from: string | null) => Promise<AccessPage>;
  readonly cursor: Cursor;
  readonly looks: readonly Look[];
  readonly now: () => number;
}

const shuffled = <Thing>(things: readonly Thing[]): readonly Thing[] =>
  things
    .map((thing) => ({ thing, at: Math.random() }))
    .toSorted((a, b) => a.at - b.at)
    .map(({ thing }) => thing);

/**
 * Goes on through the access table from where the last pass has ended, and mends what the looks find, each by itself, until
 * the end of the table or of its own bounds.
 *
 * The place is noted before a page is worked on: what its worker dies of does not come again until the next round. A page that
 * there was no room for comes again as long as something of it could be mended; the turns in it are drawn, so that what
 * fails every time does not keep the rest from theirs.
 */
export const accessReconciliation =
  ({ scan, cursor, looks, now }: Parts) =>
  /** @param until epoch milliseconds after which nothing is begun. */
  async (until: number): Promise<Reconciliation> => {
    const done = { pages: 0, repaired: 0, failed: 0, left: false };
    const failures: unknown[] = [];
    let from = await cursor.get();
    do {
      const { items, next } = await scan(from);
      await cursor.set(next);
      done.pages += 1;
      const looked = await Promise.allSettled(looks.map((look) => look(items)));
      const repairs = shuffled(looked.flatMap((each) => (each.status === "fulfilled" ? each.value : [])));
      const blind = looked.flatMap((each) => (each.status === "rejected" ? [each.reason] : []));
      const room = mostRepairs - done.repaired - done.failed;
      const turns = await inTurns(repairs.slice(0, room), (repair) => repair(), { until, now });
      done.repaired += turns.taken - turns.failed;
      done.failed += turns.failed + blind.length;
      failures.push(...blind, ...turns.failures);
      done.left = turns.left || repairs.length > room;
      if (done.left && turns.taken > turns.failed) await cursor.set(from);
      from = next;
    } while (from !== null && !done.left && done.pages < mostPages && now() < until);
    return { ...done, failures };
  };

import { setTimeout as wait } from "node:timers/promises";
import * as v from "valibot";
import { isTerminal } from "../domain/runs/run.ts";
import { monthOf } from "../domain/runs/spend.ts";
import { logLine } from "../log.ts";
import { publishMetrics } from "../published-metrics.ts";
import { livingProjects } from "../store/access/living-projects.ts";
import { cursorStore } from "../store/cursor.ts";
import type { Database } from "../store/database.ts";
import { runDeletion } from "../store/runs/deletion.ts";
import { runStore } from "../store/runs/runs.ts";
import { mendShard, scanBooks, shardsOf, spendKey, type ScannedBook } from "../store/spend/book-scan.ts";
import { spendStore } from "../store/spend/spend.ts";
import { addPage, inRank, projectOfMonth } from "./budget-sums.ts";

const [hour, day] = [3_600_000, 86_400_000];

/** A shard that has moved later than so long before the scan began may be told of by books that the scan saw otherwise. */
const quietMilliseconds = 600_000;

/** How often a day's check is made, an hour apart, while something moves in the middle of it. */
const mostTries = 4;

/** A page is 256 read units or less: two thirds of what one partition gives in that time. */
const pageMilliseconds = 125;

const state = v.object({
  /** When the next scan begins, epoch milliseconds. */
  nextAt: v.number(),
  /** Checks in a row in which something moved. */
  tries: v.number(),
  /** The scan that is under way. */
  scan: v.nullable(
    v.object({
      begunAt: v.number(),
      month: v.string(),
      from: v.nullable(spendKey),
      /** Whether it came to its end, and only the shards are not looked at. */
      ended: v.boolean(),
      unreadable: v.number(),
      held: v.record(v.string(), v.pipe(v.array(v.number()), v.readonly())),
    }),
  ),
});
type State = v.InferOutput<typeof state>;
type BookScan = NonNullable<State["scan"]>;

/** What a check did. */
export interface BookCheck {
  readonly pages: number;
  /** Runs that are over and had not given back what they held. */
  readonly released: number;
  readonly budgets: number;
  /** Shards that were not what their books say. */
  readonly wrongShards: number;
  /** Shards of which that could not be told: they moved meanwhile, or there was no time. */
  readonly openShards: number;
}

/**
 * Compares once a day what is used of the shards of this month's budgets with what is closed there and what all books hold,
 * and gives back what runs hold that are over. A shard that differs is mended where neither it nor a book that takes of it has
 * moved since before the scan, and only as it was read: whatever moves a book moves its shards in the same transaction.
 */
export const bookChecking = (database: Database, now: () => number = Date.now) => {
  const cursor = cursorStore(database, { table: "spend", name: "book-check", kept: (2 * day) / 1000 }, now);
  const [runs, living, spend] = [runStore(database, now), livingProjects(database), spendStore(database, now)];
  const deletion = runDeletion(database, runs, now);

  /** Gives back what a run holds that is over: its last worker has died before it could. @returns whether it is over. */
  const release = async ({ project, run }: ScannedBook): Promise<boolean> => {
    const stored = (await runs.read(project, run)) ?? (await deletion.find(project, run));
    if (stored !== null && stored.deleted === null && !isTerminal(stored.run.status)) return false;
    await spend.releaseRun(project, run, async () => (stored === null ? new Map() : await deletion.costs(stored)));
    return true;
  };

  /** Looks through the table for as long as there is time. */
  const goThrough = async (before: BookScan, until: number) => {
    let { from, ended, unreadable, held }: BookScan = before;
    let [pages, released] = [0, 0];
    const looked = new Set<string>();
    while (!ended && (pages === 0 || now() < until)) {
      if (pages > 0) await wait(pageMilliseconds);
      const page = await scanBooks(database, from);
      for (const key of page.unreadable) logLine("book_not_readable", { key });
      for (const book of page.books.filter(({ reserves, movedAt }) => reserves && now() - movedAt >= hour)) {
        const name = `${book.project} ${book.run}`;
        if (looked.has(name) || now() >= until) continue;
        looked.add(name);
        if (await release(book)) released += 1;
      }
      held = addPage(held, page, before.month, before.begunAt);
      unreadable += page.unreadable.length;
      [from, ended] = [page.next, page.next === null];
      pages += 1;
    }
    return { scan: { ...before, from, ended, unreadable, held }, pages, released };
  };

  const compare = async ({ begunAt, held }: BookScan, until: number) => {
    const done = { budgets: 0, wrongShards: 0, openShards: 0 };
    const ranked = inRank(Object.keys(held), begunAt);
    const alive = await living(ranked.flatMap((budget) => projectOfMonth(budget) ?? []));
    for (const budget of ranked) {
      const project = projectOfMonth(budget);
      // What is left of a deleted project goes with it.
      if (project !== null && !alive.has(project)) continue;
      if (done.budgets > 0 && now() >= until) {
        done.openShards += 1;
        break;
      }
      done.budgets += 1;
      for (const [index, shard] of (await shardsOf(database, budget)).entries()) {
        const difference = (shard?.used ?? 0) - (shard?.closed ?? 0) - (held[budget]?.[index] ?? 0);
        if (difference === 0) continue;
        const isStill = shard !== null && shard.movedAt + quietMilliseconds < begunAt;
        if (!isStill || !(await mendShard(database, budget, index, shard, -difference, now()))) {
          done.openShards += 1;
          continue;
        }
        done.wrongShards += 1;
        const fields = { sum: "budget", budget, shard: index, micros: difference };
        publishMetrics("sum_mended", { SumsMended: 1 }, { ...fields, project_id: project ?? undefined });
      }
    }
    return done;
  };

  /** @param budget milliseconds. */
  return async (budget: number): Promise<BookCheck> => {
    const until = now() + budget;
    const done = { pages: 0, released: 0, budgets: 0, wrongShards: 0, openShards: 0 };
    const place = await cursor.get();
    const {
      nextAt,
      tries,
      scan: left,
    }: State = place === null ? { nextAt: 0, tries: 0, scan: null } : v.parse(state, JSON.parse(place));
    if (left === null && now() < nextAt) return done;
    const month = monthOf(now());
    // At the end of a month books go from one budget to the next, by clocks that do not quite agree.
    if (monthOf(now() - hour) !== month || monthOf(now() + hour) !== month) return done;
    const begun: BookScan = { begunAt: now(), month, from: null, ended: false, unreadable: 0, held: {} };
    const { scan, pages, released } = await goThrough(left?.month === month ? left : begun, until);
    const keep = (next: State): Promise<void> => cursor.set(JSON.stringify(next));
    if (!scan.ended || (pages > 0 && now() >= until)) {
      await keep({ nextAt, tries, scan });
      return { ...done, pages, released };
    }
    // Without what could not be read no sum is known.
    const compared = scan.unreadable > 0 ? done : await compare(scan, until);
    const moves = released > 0 || compared.openShards > 0;
    const isAgain = moves && tries + 1 < mostTries;
    await keep({ nextAt: now() + (isAgain ? hour : day), tries: isAgain ? tries + 1 : 0, scan: null });
    return { ...compared, pages, released };
  };
};

import * as v from "valibot";
import { differencesOf, fingerprintsOf, repairUnchanged } from "../audit/totals.ts";
import { counterTotals } from "../totals/counter-totals.ts";
import type { Database } from "../../dynamo/database.ts";
import { succeeds, ifConditionHolds } from "../../dynamo/failure.ts";
import { ifAbsent, itemsOf } from "../../dynamo/items.ts";
import { counterPrefix, countsPartition, isCounterSort } from "./counts.ts";
import { emptyRowCount, rowCount, rowCounting } from "./row-count.ts";

/** Milliseconds a difference must stay unchanged before it is repaired: far more than the stream lags. */
const quietMilliseconds = 600_000;

/** Seconds until an unfinished check expires. */
const checkSeconds = 7 * 86_400;

/** Rows that a check counts per day on average: after more rows the next check waits as many days longer. */
const rowsOfDay = 200_000;
const [dayMilliseconds, maxPauseMilliseconds] = [86_400_000, 60 * 86_400_000];

const checksPartition = "pending#count-checks";

const checkKey = (project: string) => ({ pk: checksPartition, sk: `${project}#check` });
const pauseKey = (project: string) => ({ pk: "pending#count-rests", sk: `${project}#rest` });

/** Returns the keys of all items that checks store for a project. */
export const countCheckKeys = (project: string) => [checkKey(project), pauseKey(project)];

/** Schema of a check in progress. */
const check = v.object({
  project: v.string(),
  /** Revision, raised by every step: of two workers only one continues. */
  rev: v.number(),
  /** Time of the check's last step, and earliest time of its next step; epoch milliseconds. */
  at: v.number(),
  from: v.number(),
  count: v.pipe(
    v.string(),
    v.transform((text): unknown => JSON.parse(text)),
    rowCount,
  ),
  /**
   * Fingerprints of the differences of the first count, by counter: unchanged as long as neither the counter nor its
   * rows are.
   */
  found: v.optional(
    v.pipe(
      v.string(),
      v.transform((text): unknown => JSON.parse(text)),
      v.record(v.string(), v.string()),
    ),
  ),
});

/** A comparison in progress of a project's trace counters with its rows. */
export type CountCheck = Readonly<v.InferOutput<typeof check>>;

/**
 * Result of a step of a counter check. `doubtful`: counters differ from the rows, which will be counted again; `moved`:
 * counters differ from the rows, but a counter or its rows have changed since the first count.
 */
export type CountCheckResult = "unfinished" | "correct" | "doubtful" | "moved" | "repaired";

/**
 * Compares the trace counters with the rows, in steps that continue where the last one ended. A change that the
 * stream has not delivered yet looks like a difference: the rows are counted twice, and a counter is repaired only if
 * neither it nor its rows changed in between.
 */
export const countChecks = (database: Database, now: () => number = Date.now) => {
  const items = itemsOf(database, "aggregates");
  const countRows = rowCounting(database, now);

  const totalsOf = (project: string) => {
    // Counters of an expired day are never read.
    const tomorrow = counterPrefix(new Date(now() + dayMilliseconds).toISOString().slice(0, 10));
    const isRead = (counter: string): boolean => isCounterSort(counter) && counter >= tomorrow;
    return counterTotals(database, countsPartition(project), isRead);
  };

  const ifRevision = (rev: number) => ({ when: "rev = :rev", values: { ":rev": rev } });

  /** Stores a check. @returns false when another worker has continued it. */
  const put = ({ project, rev, count, found: fingerprints, ...times }: CountCheck): Promise<boolean> =>
    succeeds(
      items.put(
        {
          ...checkKey(project),
          project,
          rev: rev + 1,
          ...times,
          count: JSON.stringify(count),
          found: fingerprints === undefined ? undefined : JSON.stringify(fingerprints),
          ttl: Math.ceil(now() / 1000) + checkSeconds,
        },
        rev === 0 ? { when: ifAbsent } : ifRevision(rev),
      ),
    );

  /** Ends a check, and delays the next one if the project has many rows. */
  const end = async ({ project, rev, count }: CountCheck): Promise<void> => {
    const pause = Math.min(maxPauseMilliseconds, Math.floor(count.rows / rowsOfDay) * dayMilliseconds);
    if (pause > 0) {
      const until = now() + pause;
      await items.put({ ...pauseKey(project), until, ttl: Math.ceil(until / 1000) });
    }
    await ifConditionHolds(items.remove(checkKey(project), ifRevision(rev)));
  };

  return {
    /**
     * Begins the check of a project, unless one is in progress or was recent.
     *
     * @param force begins the check even if one was recent.
     */
    begin: async (project: string, force = false): Promise<void> => {
      const pause = await items.get(pauseKey(project), { strongly: false });
      if (!force && pause !== undefined && v.parse(v.object({ until: v.number() }), pause).until > now()) return;
      await put({ project, rev: 0, at: 0, from: now(), count: emptyRowCount });
    },

    /** Returns the checks whose next step may begin, least recently continued first. */
    due: async (): Promise<readonly CountCheck[]> => {
      const checks: CountCheck[] = [];
      // Unreadable items in this partition must not block the checks.
      for await (const item of items.query({ pk: checksPartition })) {
        const parsed = v.safeParse(check, item);
        if (parsed.success) checks.push(parsed.output);
      }
      return checks.filter(({ from }) => from <= now()).toSorted((a, b) => a.at - b.at);
    },

    /** Moves a check to the end of the queue. @returns false when another worker has continued it. */
    moveToEnd: (due: CountCheck): Promise<boolean> => put({ ...due, at: now() }),

    /** Deletes a check, for a project whose rows need not be counted any more. */
    drop: ({ project }: CountCheck): Promise<unknown> => items.remove(checkKey(project)),

    /** Continues a check that `moveToEnd` has claimed. @param until epoch milliseconds at which counting stops. */
    step: async (claimedCheck: CountCheck, until: number): Promise<CountCheckResult> => {
      const before = { ...claimedCheck, rev: claimedCheck.rev + 1 };
      const { project } = before;
      const { count, isAll } = await countRows(project, before.count, until);
      if (!isAll) {
        await put({ ...before, count });
        return "unfinished";
      }
      const totals = totalsOf(project);
      const differences = differencesOf(totals, await totals.read(), new Map(Object.entries(count.counters)));
      if (before.found === undefined && differences.length > 0) {
        const noted = { found: fingerprintsOf(differences) };
        await put({ ...before, from: now() + quietMilliseconds, count: emptyRowCount, ...noted });
        return "doubtful";
      }
      const repaired = await repairUnchanged(database, totals, differences, (counter) => before.found?.[counter]);
      await end({ ...before, count });
      return repaired > 0 ? "repaired" : differences.length === 0 ? "correct" : "moved";
    },
  };
};

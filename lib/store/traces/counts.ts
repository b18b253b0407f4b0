import { counterStore } from "../counters.ts";
import type { Database } from "../database.ts";
import { kept } from "../expiry.ts";

/** A change of the number of traces, as one record of the rows' stream tells it. */
export interface CountChange {
  readonly project: string;
  /** UTC day on which the row expires, `YYYY-MM-DD`; `-` when it is kept. */
  readonly expiry: string;
  readonly change: 1 | -1;
  /** The record's sequence number, rising within its shard. */
  readonly sequence: bigint;
}

export interface TraceCounts {
  /** Traces of a project; may lag writes by seconds. Those that have expired are not among them. */
  total(project: string): Promise<number>;
  /**
   * Folds changes of one stream shard, each exactly once however often and however cut they are delivered.
   *
   * @throws what the first counter threw that could not be folded, after all others were.
   */
  fold(shard: string, changes: readonly CountChange[]): Promise<void>;
}

/** Partition of what counts a project's traces, in the table of aggregates. */
export const countsPartition = (project: string): string => `${project}#traces`;

/** Begins the sort keys of a counter: of the rows that are kept, or of those that expire on one day. */
export const counterOf = (expiry: string): string => (expiry === kept ? "total#" : `expires#${expiry}#`);

/** Whether a sort key is a counter's: beside the counters may lie what a later version has put there. */
export const isCounterSort = (sort: unknown): boolean => typeof sort === "string" && /^(?:total|expires)#/u.test(sort);

/** Behind every sort key of a counter. */
const lastCounter = "total$";

/** The number of traces. A day that has expired leaves the total at once: its counters are not read. */
export const traceCounts = (database: Database, now: () => number = Date.now): TraceCounts => {
  const counters = counterStore(database, now);
  return {
    total: async (project) => {
      const tomorrow = new Date(now() + 86_400_000).toISOString().slice(0, 10);
      // Days that have not come, and what never expires: "total" orders behind "expires".
      const found = await counters.between(countsPartition(project), counterOf(tomorrow), lastCounter);
      return found.filter(({ sort }) => isCounterSort(sort)).reduce((total, { n }) => total + n, 0);
    },
    fold: (shard, changes) =>
      counters.fold(
        shard,
        changes.map((change) => ({
          ...change,
          partition: countsPartition(change.project),
          counter: counterOf(change.expiry),
        })),
      ),
  };
};

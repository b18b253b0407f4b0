import { counterStore } from "../totals/counters.ts";
import type { Database } from "../../dynamo/database.ts";
import { neverExpires } from "../../dynamo/expiry.ts";

/** A change of a project's number of traces, derived from a stream record of the rows. */
export interface CountChange {
  readonly project: string;
  /** UTC day on which the row expires, `YYYY-MM-DD`; `-` if it never expires. */
  readonly expiry: string;
  readonly change: 1 | -1;
  /** Sequence number of the stream record, rising within its shard. */
  readonly sequence: bigint;
}

/** Counters of the traces of projects. */
export interface TraceCounts {
  /** Returns the number of a project's traces that have not expired; may lag writes by seconds. */
  total(project: string): Promise<number>;
  /**
   * Adds changes of one stream shard, each exactly once however often and in whatever batches they are delivered.
   *
   * @throws the error of the first counter that could not be written, after all others were.
   */
  fold(shard: string, changes: readonly CountChange[]): Promise<void>;
}

/** Returns the partition key of a project's trace counters in the table `aggregates`. */
export const countsPartition = (project: string): string => `${project}#traces`;

/** Returns the sort key prefix of a counter: for rows that never expire, or for those that expire on one day. */
export const counterPrefix = (expiry: string): string => (expiry === neverExpires ? "total#" : `expires#${expiry}#`);

/** True if a sort key belongs to a counter: a later version of the service may store other items in the partition. */
export const isCounterSort = (sort: unknown): boolean => typeof sort === "string" && /^(?:total|expires)#/u.test(sort);

/** Sorts after the sort keys of all counters. */
const afterLastCounter = "total$";

/** Counters of a project's traces. An expired day leaves the total at once, because its counters are not read. */
export const traceCounts = (database: Database, now: () => number = Date.now): TraceCounts => {
  const counters = counterStore(database, now);
  return {
    total: async (project) => {
      const tomorrow = new Date(now() + 86_400_000).toISOString().slice(0, 10);
      // Counters of future expiry days, and of rows that never expire: "total" sorts after "expires".
      const partials = await counters.between(countsPartition(project), counterPrefix(tomorrow), afterLastCounter);
      return partials.filter(({ sort }) => isCounterSort(sort)).reduce((total, { n }) => total + n, 0);
    },
    fold: (shard, changes) =>
      counters.fold(
        shard,
        changes.map((change) => ({
          ...change,
          partition: countsPartition(change.project),
          counter: counterPrefix(change.expiry),
        })),
      ),
  };
};

import { counterStore } from "./counters.ts";
import type { Database } from "../../dynamo/database.ts";
import { isExpiredDay } from "../../dynamo/expiry.ts";

/**
 * A counter of listed items: all items of a scope (a kind, a name, a run, a monitor or a day) that have the same
 * filterable fields and expire on the same day.
 */
export interface Facet {
  /** Partition key of the counter in the table `aggregates`. */
  readonly partition: string;
  readonly scope: string;
  /** Values of the filterable fields, without `#`. */
  readonly facet: string;
  /** UTC day on which the items expire, `YYYY-MM-DD`; `-` if they never expire. */
  readonly expiry: string;
}

/** A listed item's contribution to the facet counters: one for each facet. */
export interface CountedItem {
  readonly project: string;
  readonly facets: readonly Facet[];
}

/** Returns the partition key of a project's run counters in the table `aggregates`. */
export const runCountsPartition = (project: string): string => `${project}#run-counts`;

/** Returns the sort key prefix of a facet's counter. */
export const facetCounter = ({ scope, facet, expiry }: Omit<Facet, "partition">): string =>
  `${scope}#${facet}#${expiry}#`;

/** Upper bound of sort keys: sorts after every text that continues with `#`. */
const afterHash = "$";

/** Reader of facet counters; may lag writes by seconds. Expired items are not counted. */
export const facetCounts = (database: Database, now: () => number = Date.now) => {
  const counters = counterStore(database, now);

  const unexpired = async (partition: string, first: string, last: string) => {
    const partials = await counters.between(partition, `${first}#`, `${last}${afterHash}`);
    return partials.flatMap(({ sort, n }) => {
      const [facet = "", expiry = ""] = sort.split("#").slice(-3);
      return isExpiredDay(expiry, now()) ? [] : [{ facet, n }];
    });
  };

  return {
    /** Returns the number of items in a scope, by facet. */
    ofScope: async (partition: string, scope: string): Promise<ReadonlyMap<string, number>> => {
      const sums = new Map<string, number>();
      for (const { facet, n } of await unexpired(partition, scope, scope)) sums.set(facet, (sums.get(facet) ?? 0) + n);
      return sums;
    },

    /** Returns the number of items in all scopes from `first` to `last`, inclusive. */
    ofScopes: async (partition: string, first: string, last: string): Promise<number> =>
      (await unexpired(partition, first, last)).reduce((sum, { n }) => sum + n, 0),
  };
};

/**
 * Returns the sum of the counters whose facet passes `fits`, at least 0: the stream may deliver a removal before the
 * addition.
 */
export const sumMatching = (sums: ReadonlyMap<string, number>, fits: (facet: string) => boolean = () => true): number =>
  Math.max(
    0,
    [...sums].reduce((sum, [facet, n]) => (fits(facet) ? sum + n : sum), 0),
  );

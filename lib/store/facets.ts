import { counterStore } from "./counters.ts";
import type { Database } from "./database.ts";
import { isGone } from "./expiry.ts";

/**
 * What is counted: everything of a scope (all of a kind, those of a name, of a run, of a monitor, of a day) that is alike in
 * what lists are narrowed by, and expires on the same day.
 */
export interface Facet {
  /** Partition of its counters, in the table of aggregates. */
  readonly partition: string;
  readonly scope: string;
  /** Without `#`. */
  readonly facet: string;
  /** UTC day on which it expires; `-` when it is kept. */
  readonly expiry: string;
}

/** What an item counts for. */
export interface CountedItem {
  readonly project: string;
  readonly facets: readonly Facet[];
}

/** Partition of what counts a project's runs, in the table of aggregates. */
export const runCountsPartition = (project: string): string => `${project}#run-counts`;

/** Begins the sort keys of a facet's counter. */
export const facetCounter = ({ scope, facet, expiry }: Omit<Facet, "partition">): string =>
  `${scope}#${facet}#${expiry}#`;

/** Comes behind `#`. */
const behind = "$";

/** Reads counters by facet; they may lag writes by seconds. What has expired is not among them. */
export const facetCounts = (database: Database, now: () => number = Date.now) => {
  const counters = counterStore(database, now);

  const alive = async (partition: string, first: string, last: string) => {
    const found = await counters.between(partition, `${first}#`, `${last}${behind}`);
    return found.flatMap(({ sort, n }) => {
      const [facet = "", expiry = ""] = sort.split("#").slice(-3);
      return isGone(expiry, now()) ? [] : [{ facet, n }];
    });
  };

  return {
    /** How many there are in a scope, by facet. */
    ofScope: async (partition: string, scope: string): Promise<ReadonlyMap<string, number>> => {
      const sums = new Map<string, number>();
      for (const { facet, n } of await alive(partition, scope, scope)) sums.set(facet, (sums.get(facet) ?? 0) + n);
      return sums;
    },

    /** How many there are in all scopes between two, both included. */
    ofScopes: async (partition: string, first: string, last: string): Promise<number> =>
      (await alive(partition, first, last)).reduce((sum, { n }) => sum + n, 0),
  };
};

/** The number of those whose facets fit, 0 at least: what was added may come later than what was taken away. */
export const numberOf = (sums: ReadonlyMap<string, number>, fits: (facet: string) => boolean = () => true): number =>
  Math.max(
    0,
    [...sums].reduce((sum, [facet, n]) => (fits(facet) ? sum + n : sum), 0),
  );

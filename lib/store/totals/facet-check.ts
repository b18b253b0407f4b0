import * as v from "valibot";
import { audit } from "../audit/audit.ts";
import { fingerprintsOf } from "../audit/totals.ts";
import type { Database } from "../../dynamo/database.ts";
import { isExpiredDay, neverExpires } from "../../dynamo/expiry.ts";
import { counterTotals, type CountedItems } from "./counter-totals.ts";
import { facetCounter, type CountedItem } from "./facets.ts";
import { itemsOf } from "../../dynamo/items.ts";
import { isLive } from "../../dynamo/is-live.ts";

/** A list of items with facet counters. */
export interface CountedList {
  readonly name: "runs" | "trace-scores" | "session-scores";
  /** Returns the partition key of a project's counters of this list. */
  readonly partition: (project: string) => string;
  /** Yields the facets of a project's items, page by page, as the list's index has them. */
  readonly pages: (project: string) => AsyncIterable<readonly CountedItem[]>;
}

interface ProjectList {
  readonly project: string;
  readonly list: CountedList;
}

/** Seconds between two checks of the same list. */
const checkIntervalSeconds = 86_400;

/** Max counters of one list held in memory during a recount, and max differing counters stored in its note. */
const [maxCounters, maxNotedCounters] = [200_000, 100];

/** Partition of the notes of lists that were checked, in the table `aggregates`. */
export const facetNotesPartition = "pending#facet-checks";

const noteSort = ({ project, list }: ProjectList): string => `${project}#${list.name}`;

const note = v.object({ sk: v.string(), at: v.number(), found: v.record(v.string(), v.string()) });

/** Audit of the facet counters of a project's lists. A note is also stored for a list that was checked without a difference. */
export const facetChecks = (database: Database, lists: readonly CountedList[], now: () => number = Date.now) => {
  const isRead = (counter: string): boolean => {
    // Skips other items, which a later version of the service may store in this partition.
    const [, expiry] = /#(-|\d{4}-\d\d-\d\d)#$/u.exec(counter) ?? [];
    return expiry !== undefined && !isExpiredDay(expiry, now());
  };

  const { check, ...repairs } = audit(database, now, {
    partition: facetNotesPartition,
    retentionSeconds: checkIntervalSeconds,
    // Far more than a stream lags.
    quietMilliseconds: 600_000,
    noteSort,
    pack: (differences) => ({ found: fingerprintsOf(differences.slice(0, maxNotedCounters)) }),
    parse: (item) => {
      const parsed = v.safeParse(note, item);
      if (!parsed.success || Object.keys(parsed.output.found).length === 0) return null;
      const { sk, at, found: fingerprints } = parsed.output;
      const [project = "", listName] = sk.split("#");
      const list = lists.find(({ name }) => name === listName);
      return list === undefined ? null : { project, list, at, noted: (counter: string) => fingerprints[counter] };
    },
    totals: ({ project, list }: ProjectList) => counterTotals(database, list.partition(project), isRead),
    count: async ({ project, list }, until) => {
      const counters = new Map<string, CountedItems>();
      for await (const items of list.pages(project)) {
        for (const facet of items.flatMap(({ facets }) => facets)) {
          const counter = facetCounter(facet);
          const ttl = facet.expiry === neverExpires ? undefined : Date.parse(facet.expiry) / 1000;
          counters.set(counter, { n: (counters.get(counter)?.n ?? 0) + 1, ttl });
        }
        if (now() >= until || counters.size > maxCounters) return null;
      }
      return counters;
    },
  });

  return {
    ...repairs,
    /**
     * Compares the lists of a project that were not checked within a day, and notes those that differ.
     *
     * @param until epoch milliseconds at which counting stops.
     * @param force checks lists that were checked within a day, too.
     * @returns the number of lists that differ, and of those that could not be counted in time.
     */
    check: async (
      project: string,
      until: number,
      force = false,
    ): Promise<{ readonly doubtful: number; readonly cut: number }> => {
      let [doubtful, cut] = [0, 0];
      const recentNotes = new Set<unknown>();
      for await (const item of itemsOf(database, "aggregates").query({
        pk: facetNotesPartition,
        prefix: `${project}#`,
      }))
        if (isLive(item, now())) recentNotes.add(item["sk"]);
      for (const list of lists) {
        if (!force && recentNotes.has(noteSort({ project, list }))) continue;
        const isDifferent = await check({ project, list }, until);
        if (isDifferent === null) cut += 1;
        else if (isDifferent) doubtful += 1;
      }
      return { doubtful, cut };
    },
  };
};

import { GetCommand, PutCommand, paginateQuery } from "@aws-sdk/lib-dynamodb";
import * as v from "valibot";
import { counterAudit, type CounterDifference } from "./counter-audit.ts";
import type { Database } from "../../dynamo/database.ts";
import { isExpiredDay, neverExpires } from "../../dynamo/expiry.ts";
import { succeeds } from "../../dynamo/failure.ts";
import { facetCounter, type CountedItem } from "./facets.ts";
import { isLive } from "../../dynamo/is-live.ts";

const listNames = ["runs", "trace-scores", "session-scores"] as const;

/** A list of items with facet counters. */
export interface CountedList {
  readonly name: (typeof listNames)[number];
  /** Returns the partition key of a project's counters of this list. */
  readonly partition: (project: string) => string;
  /** Yields the facets of a project's items, page by page, as the list's index has them. */
  readonly pages: (project: string) => AsyncIterable<readonly CountedItem[]>;
}

/** Milliseconds a difference must stay unchanged before it is repaired: far more than a stream lags. */
const quietMilliseconds = 600_000;

/** Seconds between two checks of the same list. */
const checkIntervalSeconds = 86_400;

/** Max counters of one list held in memory during a recount, and max differing counters stored in its note. */
const [maxCounters, maxNotedCounters] = [200_000, 100];

const notesPartition = "pending#facet-checks";
const noteKey = (project: string, list: string) => ({ pk: notesPartition, sk: `${project}#${list}` });

const note = v.object({ sk: v.string(), at: v.number(), found: v.record(v.string(), v.string()) });

/** A stored note that counters of a list differed from a recount. */
export interface FacetNote {
  readonly project: string;
  readonly list: CountedList;
  /** Fingerprint of each difference, by counter. */
  readonly fingerprints: Readonly<Record<string, string>>;
  /** Time of the note, epoch milliseconds. */
  readonly at: number;
}

/**
 * Compares facet counters with a recount of the listed items. A change that the stream has not delivered yet looks
 * like a difference: a difference is noted first, and repaired only if the counter and its items have not changed 10
 * minutes later.
 */
export const facetChecks = (database: Database, lists: readonly CountedList[], now: () => number = Date.now) => {
  const { client, table } = database;
  const TableName = table("aggregates");
  const audit = counterAudit(database);

  const compare = async (project: string, list: CountedList, until: number) => {
    const countedTotals = new Map<string, { n: number; ttl?: number }>();
    for await (const items of list.pages(project)) {
      for (const facet of items.flatMap(({ facets }) => facets)) {
        const counter = facetCounter(facet);
        const ttl = facet.expiry === neverExpires ? {} : { ttl: Date.parse(facet.expiry) / 1000 };
        countedTotals.set(counter, { n: (countedTotals.get(counter)?.n ?? 0) + 1, ...ttl });
      }
      if (now() >= until || countedTotals.size > maxCounters) return null;
    }
    const isRead = (counter: string): boolean => {
      // Skips other items, which a later version of the service may store in this partition.
      const [, expiry] = /#(-|\d{4}-\d\d-\d\d)#$/u.exec(counter) ?? [];
      return expiry !== undefined && !isExpiredDay(expiry, now());
    };
    return await audit.differences(list.partition(project), countedTotals, isRead);
  };

  const put = (
    project: string,
    { name }: CountedList,
    differences: readonly CounterDifference[],
    notedAt?: number,
  ): Promise<unknown> => {
    const fingerprints = differences
      .slice(0, maxNotedCounters)
      .map(({ counter, fingerprint }) => [counter, fingerprint]);
    const ttl = Math.ceil(now() / 1000) + checkIntervalSeconds;
    const Item = { ...noteKey(project, name), at: now(), found: Object.fromEntries(fingerprints), ttl };
    const unchangedCondition = {
      ConditionExpression: "#at = :at",
      ExpressionAttributeNames: { "#at": "at" },
      ExpressionAttributeValues: { ":at": notedAt },
    };
    return client.send(new PutCommand({ TableName, Item, ...(notedAt !== undefined && unchangedCondition) }));
  };

  return {
    /**
     * Compares the lists of a project that were not checked within a day, and stores a note for each that differs.
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
      for (const list of lists) {
        const { Item } = await client.send(new GetCommand({ TableName, Key: noteKey(project, list.name) }));
        if (!force && Item !== undefined && isLive(Item, now())) continue;
        const differences = await compare(project, list, until);
        if (differences === null) cut += 1;
        else if (differences.length > 0) doubtful += 1;
        await put(project, list, differences ?? []);
      }
      return { doubtful, cut };
    },

    /** Yields notes older than 10 minutes: every change from before them has been delivered. */
    due: async function* (): AsyncGenerator<FacetNote> {
      const input = { KeyConditionExpression: "pk = :pk", ExpressionAttributeValues: { ":pk": notesPartition } };
      for await (const { Items = [] } of paginateQuery({ client }, { TableName, ...input })) {
        for (const item of Items) {
          const parsed = v.safeParse(note, item);
          if (!parsed.success || now() - parsed.output.at < quietMilliseconds) continue;
          const { sk, found: fingerprints, at: notedAt } = parsed.output;
          const at = sk.indexOf("#");
          const list = lists.find(({ name }) => name === sk.slice(at + 1));
          if (list !== undefined && Object.keys(fingerprints).length > 0) {
            yield { project: sk.slice(0, at), list, fingerprints, at: notedAt };
          }
        }
      }
    },

    /**
     * Claims a note by clearing its differences: each note is processed once.
     *
     * @returns false when another worker claimed it first.
     */
    claim: ({ project, list, at }: FacetNote): Promise<boolean> => succeeds(put(project, list, [], at)),

    /** Repairs the counters that still differ as they were noted. @returns the number of repaired counters. */
    repair: async ({ project, list, fingerprints }: FacetNote, until: number): Promise<number> => {
      let repaired = 0;
      for (const difference of (await compare(project, list, until)) ?? []) {
        if (fingerprints[difference.counter] !== difference.fingerprint) continue;
        if (await audit.repair(list.partition(project), difference)) repaired += 1;
      }
      return repaired;
    },
  };
};

/** Returns the keys of all notes of a project, in the table `aggregates`. */
export const facetNoteKeys = (project: string) => listNames.map((name) => noteKey(project, name));

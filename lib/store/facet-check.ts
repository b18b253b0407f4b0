import { GetCommand, PutCommand, paginateQuery } from "@aws-sdk/lib-dynamodb";
import * as v from "valibot";
import { counterAudit, type CounterDifference } from "./counter-audit.ts";
import type { Database } from "./database.ts";
import { isGone, kept } from "./expiry.ts";
import { succeeds } from "./failure.ts";
import { facetCounter, type CountedItem } from "./facets.ts";
import { isLive } from "./is-live.ts";

const listNames = ["runs", "trace-scores", "session-scores"] as const;

/** A list whose items are counted. */
export interface CountedList {
  readonly name: (typeof listNames)[number];
  /** Partition of its counters. */
  readonly partition: (project: string) => string;
  /** What the items of a project count for, as their index has them, page by page. */
  readonly pages: (project: string) => AsyncIterable<readonly CountedItem[]>;
}

/** Milliseconds in which neither items nor counter may have moved: far more than a stream lags. */
const quietMilliseconds = 600_000;

/** A list is looked at once in so long. */
const restSeconds = 86_400;

/** Counters of one list that are held while it is counted, and those that are noted. */
const [mostCounters, mostNoted] = [200_000, 100];

const notesPartition = "pending#facet-checks";
const noteKey = (project: string, list: string) => ({ pk: notesPartition, sk: `${project}#${list}` });

const note = v.object({ sk: v.string(), at: v.number(), found: v.record(v.string(), v.string()) });

/** A list whose counters may be wrong. */
export interface FacetNote {
  readonly project: string;
  readonly list: CountedList;
  /** What differed when it was looked at, by counter. */
  readonly found: Readonly<Record<string, string>>;
  /** When that was noted, epoch milliseconds. */
  readonly at: number;
}

/**
 * Compares the folded counters of lists with what is listed. What a stream has not told yet looks like a difference: it is
 * noted, and only mended when the counter and what it counts have stood still since.
 */
export const facetChecks = (database: Database, lists: readonly CountedList[], now: () => number = Date.now) => {
  const { client, table } = database;
  const TableName = table("aggregates");
  const audit = counterAudit(database);

  const compare = async (project: string, list: CountedList, until: number) => {
    const counted = new Map<string, { n: number; ttl?: number }>();
    for await (const items of list.pages(project)) {
      for (const facet of items.flatMap(({ facets }) => facets)) {
        const counter = facetCounter(facet);
        const ttl = facet.expiry === kept ? {} : { ttl: Date.parse(facet.expiry) / 1000 };
        counted.set(counter, { n: (counted.get(counter)?.n ?? 0) + 1, ...ttl });
      }
      if (now() >= until || counted.size > mostCounters) return null;
    }
    const isTold = (counter: string): boolean => {
      // Beside the counters may lie what a later version has put there.
      const [, expiry] = /#(-|\d{4}-\d\d-\d\d)#$/u.exec(counter) ?? [];
      return expiry !== undefined && !isGone(expiry, now());
    };
    return await audit.differences(list.partition(project), counted, isTold);
  };

  const put = (
    project: string,
    { name }: CountedList,
    found: readonly CounterDifference[],
    noted?: number,
  ): Promise<unknown> => {
    const prints = found.slice(0, mostNoted).map(({ counter, print }) => [counter, print]);
    const ttl = Math.ceil(now() / 1000) + restSeconds;
    const Item = { ...noteKey(project, name), at: now(), found: Object.fromEntries(prints), ttl };
    const unmoved = {
      ConditionExpression: "#at = :at",
      ExpressionAttributeNames: { "#at": "at" },
      ExpressionAttributeValues: { ":at": noted },
    };
    return client.send(new PutCommand({ TableName, Item, ...(noted !== undefined && unmoved) }));
  };

  return {
    /**
     * Compares the lists of a project that were not compared lately, and notes what differs, to be looked at again.
     *
     * @param until epoch milliseconds.
     * @param anyway whether lists are looked at that were compared lately.
     * @returns how many may be wrong, and for how many there was no time.
     */
    look: async (
      project: string,
      until: number,
      anyway = false,
    ): Promise<{ readonly doubtful: number; readonly cut: number }> => {
      let [doubtful, cut] = [0, 0];
      for (const list of lists) {
        const { Item } = await client.send(new GetCommand({ TableName, Key: noteKey(project, list.name) }));
        if (!anyway && Item !== undefined && isLive(Item, now())) continue;
        const found = await compare(project, list, until);
        if (found === null) cut += 1;
        else if (found.length > 0) doubtful += 1;
        await put(project, list, found ?? []);
      }
      return { doubtful, cut };
    },

    /** What was noted so long ago that nothing is on its way any more. */
    due: async function* (): AsyncGenerator<FacetNote> {
      const input = { KeyConditionExpression: "pk = :pk", ExpressionAttributeValues: { ":pk": notesPartition } };
      for await (const { Items = [] } of paginateQuery({ client }, { TableName, ...input })) {
        for (const item of Items) {
          const read = v.safeParse(note, item);
          if (!read.success || now() - read.output.at < quietMilliseconds) continue;
          const { sk, found, at: noted } = read.output;
          const at = sk.indexOf("#");
          const list = lists.find(({ name }) => name === sk.slice(at + 1));
          if (list !== undefined && Object.keys(found).length > 0) {
            yield { project: sk.slice(0, at), list, found, at: noted };
          }
        }
      }
    },

    /** Takes what differed off a note: it has its one turn. @returns false when another worker has it. */
    take: ({ project, list, at }: FacetNote): Promise<boolean> => succeeds(put(project, list, [], at)),

    /** Mends the counters that stand as they were noted. @returns how many. */
    mend: async ({ project, list, found: noted }: FacetNote, until: number): Promise<number> => {
      let mended = 0;
      for (const difference of (await compare(project, list, until)) ?? []) {
        if (noted[difference.counter] !== difference.print) continue;
        if (await audit.mend(list.partition(project), difference)) mended += 1;
      }
      return mended;
    },
  };
};

/** Keys of what is noted of a project. */
export const facetNoteKeys = (project: string) => listNames.map((name) => noteKey(project, name));

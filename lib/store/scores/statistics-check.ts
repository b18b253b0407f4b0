import { createHash } from "node:crypto";
import { DeleteCommand, PutCommand, paginateQuery, TransactWriteCommand } from "@aws-sdk/lib-dynamodb";
import * as v from "valibot";
import { hourNumber, hourStart, hourText } from "../../domain/analytics/bucket.ts";
import { scoreStatuses } from "../../domain/scores/score.ts";
import {
  addStatistics,
  noStatistics,
  sortedValues,
  statisticsOf,
  withoutStatistics,
  type ScoreStatistics,
} from "../../domain/scores/statistics.ts";
import type { Database } from "../database.ts";
import { succeeds } from "../failure.ts";
import { countedValue, isCounted } from "./counted-value.ts";
import { allSources } from "./query.ts";
import type { ScoreHour } from "./random-hour.ts";
import { packExpiry, packStatistics, statisticsExpiry, unpackStatistics } from "./statistics-codec.ts";
import { statisticsPartition, statisticsSort } from "./statistics-keys.ts";

/** Streams keep records for 24 hours: what has stood still for longer is not on its way any more. */
const quietMilliseconds = 25 * 3_600_000;
const keptSeconds = 3 * 86_400;

/** A transaction has 100 actions; one of them is the sum. */
const mostPartials = 99;

/** Values of what one item adds, which stays far below 400 KB with them. */
const mostValues = 4_000;

const notesPartition = "pending#score-checks";

/** Begins the sort keys of the notes about a project. */
const notesOf = (project: string): string => `${project}#`;

/** Nobody's shard: what was missing in the sums of all shards. */
const mendedShard = "mended";

const entry = v.object({
  order_key: v.string(),
  n: v.string(),
  st: v.picklist(scoreStatuses),
  x: v.optional(v.string()),
  ttl: v.optional(v.number()),
});
const partial = v.object({ seq: v.optional(v.string()) });
const note = v.object({ sk: v.string(), state: v.string(), at: v.number() });

/** A difference that was noted. */
export interface ScoreNote extends ScoreHour {
  readonly state: string;
}

/** Scores of one name that are there. */
interface Found {
  readonly statistics: ScoreStatistics;
  /** When the first of them expires, epoch seconds; infinite when none does. */
  readonly expiry: number;
}

const nothingFound: Found = { statistics: noStatistics, expiry: Number.POSITIVE_INFINITY };

/** The sums of one name. */
interface Summed {
  readonly statistics: ScoreStatistics;
  readonly partials: Difference["partials"];
  /** False when something may have expired that is still in them. */
  readonly isWhole: boolean;
}

/** The sums of one name in an hour that are not those of its scores. */
interface Difference {
  readonly name: string;
  readonly missing: ScoreStatistics;
  /** See `Found`. */
  readonly expiry: number;
  /** Sums by shard with the last sequence number that went in, what was mended before among them. */
  readonly partials: readonly { readonly sort: string; readonly seq: string; readonly statistics: ScoreStatistics }[];
}

interface Comparison {
  /** The same as long as neither scores nor sums have moved. */
  readonly state: string;
  readonly differences: readonly Difference[];
}

const isNothing = ({ success, failed, inapplicable, values }: ScoreStatistics): boolean =>
  success === 0 && failed === 0 && inapplicable === 0 && values.size === 0;

/**
 * Compares the statistics of an hour's scores with the scores. What a stream has not told yet looks like a difference: it is
 * noted, and only mended when everything has stood still for longer than a stream can be late. What is mended is a sum of its
 * own beside those of the shards, into which their worker goes on folding meanwhile: none of its changes is lost or counted
 * twice, whenever it comes.
 */
export const statisticsCheck = (database: Database, now: () => number = Date.now) => {
  const { client, table } = database;
  const TableName = table("aggregates");

  /** The scores of an hour by name, as their index has them; null when there was no time for all. */
  const scoresOf = async ({ project, target, hour }: ScoreHour, until: number) => {
    const range = { date_from: hourStart(hour), date_to: hourStart(hourText(hourNumber(hour) + 1)) };
    const sums = new Map<string, Found>();
    const pages = async function* () {
      for (const source of allSources(target, project, range, now()))
        yield* paginateQuery({ client }, { TableName: table("scores"), ...source });
    };
    for await (const { Items = [] } of pages()) {
      const facts = Items.map((item) => v.parse(entry, item));
      for (const [name, own] of Map.groupBy(facts, ({ n }) => n)) {
        const added = own.map(({ order_key: order, st: status, x }) =>
          statisticsOf({ status, value: countedValue(x), inapplicable: !isCounted(x), order }, 1),
        );
        const before = sums.get(name) ?? nothingFound;
        sums.set(name, {
          statistics: addStatistics([before.statistics, ...added]),
          expiry: Math.min(before.expiry, ...own.flatMap(({ ttl }) => ttl ?? [])),
        });
      }
      if (now() >= until) return null;
    }
    return sums;
  };

  /** The sums of an hour by name; null when there was no time for all. */
  const sumsOf = async ({ project, target, hour }: ScoreHour, until: number) => {
    const sums = new Map<string, Summed>();
    const pages = paginateQuery(
      { client },
      {
        TableName,
        KeyConditionExpression: "pk = :pk AND begins_with(sk, :hour)",
        ExpressionAttributeValues: { ":pk": statisticsPartition(target, project), ":hour": `${hour}#` },
        ConsistentRead: true,
      },
    );
    for await (const { Items = [] } of pages) {
      for (const item of Items) {
        const { sort, name, statistics } = unpackStatistics(item);
        const { seq } = v.parse(partial, item);
        const before = sums.get(name);
        sums.set(name, {
          statistics: addStatistics([before?.statistics ?? noStatistics, statistics]),
          partials: [...(before?.partials ?? []), ...(seq === undefined ? [] : [{ sort, seq, statistics }])],
          // A page of values has neither: its shard's sum says it.
          isWhole: (before?.isWhole ?? true) && (seq === undefined || statisticsExpiry(item) * 1000 > now()),
        });
      }
      if (now() >= until) return null;
    }
    return sums;
  };

  const compare = async (place: ScoreHour, until: number): Promise<Comparison | null> => {
    const sums = await sumsOf(place, until);
    const scores = sums === null ? null : await scoresOf(place, until);
    if (sums === null || scores === null) return null;
    const names = [...new Set([...sums.keys(), ...scores.keys()])].toSorted();
    const differences: Difference[] = [];
    const seen = createHash("sha256");
    for (const name of names) {
      const [known, { statistics: there, expiry }] = [sums.get(name), scores.get(name) ?? nothingFound];
      const missing = withoutStatistics(there, known?.statistics ?? noStatistics);
      if (known?.isWhole === false || isNothing(missing)) continue;
      const partials = known?.partials ?? [];
      const marks = partials.map(({ sort, seq }) => [sort, seq]);
      seen.update(
        JSON.stringify([
          name,
          there.success,
          there.failed,
          there.inapplicable,
          there.latest,
          sortedValues(there),
          marks,
        ]),
      );
      differences.push({ name, missing, expiry, partials });
    }
    return { state: seen.digest("base64url"), differences };
  };

  /** Adds what is missing, as long as no sum of the name has moved. @returns whether it was added. */
  const mend = (
    { project, target, hour }: ScoreHour,
    { name, missing, expiry, partials }: Difference,
  ): Promise<boolean> => {
    const [pk, sk] = [statisticsPartition(target, project), statisticsSort(hour, name, mendedShard)];
    const before = partials.find(({ sort }) => sort === sk);
    const sum = addStatistics([before?.statistics ?? noStatistics, missing]);
    const others = partials.filter((each) => each !== before);
    if (others.length > mostPartials || sum.values.size > mostValues) return Promise.resolve(false);
    const Put = {
      TableName,
      Item: {
        pk,
        sk,
        ...packStatistics(name, sum),
        seq: String(BigInt(before?.seq ?? "0") + 1n),
        pages: 0,
        e: packExpiry(expiry),
      },
      ConditionExpression: before === undefined ? "attribute_not_exists(pk)" : "seq = :seq",
      ...(before !== undefined && { ExpressionAttributeValues: { ":seq": before.seq } }),
    };
    const unmoved = others.map(({ sort, seq }) => ({
      ConditionCheck: {
        TableName,
        Key: { pk, sk: sort },
        ConditionExpression: "seq = :seq",
        ExpressionAttributeValues: { ":seq": seq },
      },
    }));
    return succeeds(client.send(new TransactWriteCommand({ TransactItems: [{ Put }, ...unmoved] })));
  };

  const notes = async function* (project = "") {
    const pages = paginateQuery(
      { client },
      {
        TableName,
        KeyConditionExpression: project === "" ? "pk = :pk" : "pk = :pk AND begins_with(sk, :project)",
        ExpressionAttributeValues: {
          ":pk": notesPartition,
          ...(project !== "" && { ":project": notesOf(project) }),
        },
      },
    );
    // What somebody else has put there keeps no check waiting.
    for await (const { Items = [] } of pages) yield* Items.filter((item) => v.is(note, item));
  };

  return {
    /**
     * Compares an hour, and notes a difference to be looked at again.
     *
     * @param until epoch milliseconds.
     * @returns whether there is one; null when there was no time for all scores.
     */
    look: async (place: ScoreHour, until: number): Promise<boolean | null> => {
      const found = await compare(place, until);
      if (found === null) return null;
      if (found.differences.length === 0) return false;
      const { project, target, hour } = place;
      const Item = {
        pk: notesPartition,
        sk: `${notesOf(project)}${target}#${hour}`,
        state: found.state,
        at: now(),
        ttl: Math.ceil(now() / 1000) + keptSeconds,
      };
      await client.send(new PutCommand({ TableName, Item }));
      return true;
    },

    /** The differences that were noted so long ago that nothing is on its way any more. */
    due: async function* (): AsyncGenerator<ScoreNote> {
      for await (const { sk, state, at } of notes()) {
        if (now() - at < quietMilliseconds) continue;
        const [project = "", target, hour = ""] = sk.split("#");
        yield { project, target: target === "session" ? "session" : "trace", hour, state };
      }
    },

    /** Takes a note away: it has its one turn. */
    forget: async ({ project, target, hour }: ScoreHour): Promise<void> => {
      const Key = { pk: notesPartition, sk: `${notesOf(project)}${target}#${hour}` };
      await client.send(new DeleteCommand({ TableName, Key }));
    },

    /** Mends what was noted, where it stands as it was noted. @returns how many names were mended. */
    mend: async ({ state, ...place }: ScoreNote, until: number): Promise<number> => {
      const found = await compare(place, until);
      if (found === null || found.state !== state) return 0;
      let mended = 0;
      for (const difference of found.differences) if (await mend(place, difference)) mended += 1;
      return mended;
    },

    /** Keys of the notes about a project. */
    keysOf: async function* (project: string): AsyncGenerator<{ readonly pk: string; readonly sk: string }> {
      for await (const { sk } of notes(project)) yield { pk: notesPartition, sk };
    },
  };
};

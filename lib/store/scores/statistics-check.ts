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
  subtractStatistics,
  type ScoreStatistics,
} from "../../domain/scores/statistics.ts";
import type { Database } from "../../dynamo/database.ts";
import { succeeds } from "../../dynamo/failure.ts";
import { itemsOf } from "../../dynamo/items.ts";
import { countedValue, isCounted } from "./counted-value.ts";
import { allSources } from "./query.ts";
import type { ScoreHour } from "./random-score-hour.ts";
import { packExpiry, packStatistics, statisticsExpiry, unpackStatistics } from "./statistics-codec.ts";
import { statisticsPartition, statisticsSort } from "./statistics-keys.ts";

/** Milliseconds without a change after which no stream record can be pending: streams keep records for 24 hours. */
const quietMilliseconds = 25 * 3_600_000;
const retentionSeconds = 3 * 86_400;

/** Max partial sums of one name that can be checked: a transaction has 100 actions, one of which writes the repair. */
const maxPartials = 99;

/** Max values of one repair item, so that it stays far below DynamoDB's limit of 400 KB. */
const maxValues = 4_000;

const notesPartition = "pending#score-checks";

/** Prefix of the sort keys of a project's notes of recorded differences. */
const notesPrefix = (project: string): string => `${project}#`;

/**
 * Name, in place of a stream shard's, of the partial sum with repairs: statistics that the sums of all stream shards
 * lack.
 */
const repairShard = "mended";

const entry = v.object({
  order_key: v.string(),
  n: v.string(),
  st: v.picklist(scoreStatuses),
  x: v.optional(v.string()),
  ttl: v.optional(v.number()),
});
const partial = v.object({ seq: v.optional(v.string()) });
const note = v.object({ sk: v.string(), state: v.string(), at: v.number() });

/** A recorded difference between statistics and scores. */
export interface StatisticsNote extends ScoreHour {
  readonly state: string;
}

/** Statistics of an hour's existing scores of one name. */
interface HourScores {
  readonly statistics: ScoreStatistics;
  /** Earliest expiry of the scores, epoch seconds; infinite when none expires. */
  readonly expiry: number;
}

const noScores: HourScores = { statistics: noStatistics, expiry: Number.POSITIVE_INFINITY };

/** Stored statistics of an hour's scores of one name. */
interface HourSums {
  readonly statistics: ScoreStatistics;
  readonly partials: Difference["partials"];
  /** False if the sums can contain expired scores. */
  readonly isComplete: boolean;
}

/** Difference of an hour's stored sums of one name from its scores. */
interface Difference {
  readonly name: string;
  readonly missing: ScoreStatistics;
  /** Earliest expiry of the scores, epoch seconds; infinite when none expires. */
  readonly expiry: number;
  /** Partial sums by shard, earlier repairs included, with the sequence number of the last added change. */
  readonly partials: readonly { readonly sort: string; readonly seq: string; readonly statistics: ScoreStatistics }[];
}

interface Comparison {
  /** Hash of scores and sums; equal while neither changes. */
  readonly state: string;
  readonly differences: readonly Difference[];
}

const isNothing = ({ success, failed, inapplicable, values }: ScoreStatistics): boolean =>
  success === 0 && failed === 0 && inapplicable === 0 && values.size === 0;

/**
 * Compares the statistics of an hour with its scores. Pending stream records look like a difference, so a difference
 * is recorded first and repaired only when nothing has changed for longer than a stream can lag. The repair is a
 * partial sum of its own beside those of the shards, so that their worker can continue: no change is lost or counted
 * twice.
 */
export const statisticsCheck = (database: Database, now: () => number = Date.now) => {
  const { client, table } = database;
  const TableName = table("aggregates");

  /** Computes the statistics of an hour's scores by name, from their index; null when the deadline passed. */
  const scoresOf = async ({ project, target, hour }: ScoreHour, until: number) => {
    const range = { date_from: hourStart(hour), date_to: hourStart(hourText(hourNumber(hour) + 1)) };
    const sums = new Map<string, HourScores>();
    const pages = async function* () {
      for (const source of allSources(target, project, range, now())) yield* itemsOf(database, "scores").pages(source);
    };
    for await (const { items } of pages()) {
      const facts = items.map((item) => v.parse(entry, item));
      for (const [name, sameName] of Map.groupBy(facts, ({ n }) => n)) {
        const addedStatistics = sameName.map(({ order_key: order, st: status, x }) =>
          statisticsOf({ status, value: countedValue(x), inapplicable: !isCounted(x), order }, 1),
        );
        const before = sums.get(name) ?? noScores;
        sums.set(name, {
          statistics: addStatistics([before.statistics, ...addedStatistics]),
          expiry: Math.min(before.expiry, ...sameName.flatMap(({ ttl }) => ttl ?? [])),
        });
      }
      if (now() >= until) return null;
    }
    return sums;
  };

  /** Reads the stored sums of an hour by name; null when the deadline passed. */
  const sumsOf = async ({ project, target, hour }: ScoreHour, until: number) => {
    const sums = new Map<string, HourSums>();
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
          // A page of values has neither sequence number nor expiry: the sum of its shard has them.
          isComplete: (before?.isComplete ?? true) && (seq === undefined || statisticsExpiry(item) * 1000 > now()),
        });
      }
      if (now() >= until) return null;
    }
    return sums;
  };

  const compare = async (scoreHour: ScoreHour, until: number): Promise<Comparison | null> => {
    const sums = await sumsOf(scoreHour, until);
    const scores = sums === null ? null : await scoresOf(scoreHour, until);
    if (sums === null || scores === null) return null;
    const names = [...new Set([...sums.keys(), ...scores.keys()])].toSorted();
    const differences: Difference[] = [];
    const stateHash = createHash("sha256");
    for (const name of names) {
      const [storedSums, { statistics: actual, expiry }] = [sums.get(name), scores.get(name) ?? noScores];
      const missing = subtractStatistics(actual, storedSums?.statistics ?? noStatistics);
      if (storedSums?.isComplete === false || isNothing(missing)) continue;
      const partials = storedSums?.partials ?? [];
      const sequences = partials.map(({ sort, seq }) => [sort, seq]);
      stateHash.update(
        JSON.stringify([
          name,
          actual.success,
          actual.failed,
          actual.inapplicable,
          actual.latest,
          sortedValues(actual),
          sequences,
        ]),
      );
      differences.push({ name, missing, expiry, partials });
    }
    return { state: stateHash.digest("base64url"), differences };
  };

  /** Adds the missing statistics, unless a partial sum of the name has changed. @returns true if they were added. */
  const addMissing = (
    { project, target, hour }: ScoreHour,
    { name, missing, expiry, partials }: Difference,
  ): Promise<boolean> => {
    const [pk, sk] = [statisticsPartition(target, project), statisticsSort(hour, name, repairShard)];
    const before = partials.find(({ sort }) => sort === sk);
    const sum = addStatistics([before?.statistics ?? noStatistics, missing]);
    const shardPartials = partials.filter((each) => each !== before);
    if (shardPartials.length > maxPartials || sum.values.size > maxValues) return Promise.resolve(false);
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
    const unchangedChecks = shardPartials.map(({ sort, seq }) => ({
      ConditionCheck: {
        TableName,
        Key: { pk, sk: sort },
        ConditionExpression: "seq = :seq",
        ExpressionAttributeValues: { ":seq": seq },
      },
    }));
    return succeeds(client.send(new TransactWriteCommand({ TransactItems: [{ Put }, ...unchangedChecks] })));
  };

  const notes = async function* (project = "") {
    const pages = paginateQuery(
      { client },
      {
        TableName,
        KeyConditionExpression: project === "" ? "pk = :pk" : "pk = :pk AND begins_with(sk, :project)",
        ExpressionAttributeValues: {
          ":pk": notesPartition,
          ...(project !== "" && { ":project": notesPrefix(project) }),
        },
      },
    );
    // Malformed items are skipped, so that they block no check.
    for await (const { Items = [] } of pages) yield* Items.filter((item) => v.is(note, item));
  };

  return {
    /**
     * Checks an hour, and records a difference for a later repair.
     *
     * @param until deadline, epoch milliseconds.
     * @returns true if there is a difference; null when the deadline passed first.
     */
    check: async (scoreHour: ScoreHour, until: number): Promise<boolean | null> => {
      const comparison = await compare(scoreHour, until);
      if (comparison === null) return null;
      if (comparison.differences.length === 0) return false;
      const { project, target, hour } = scoreHour;
      const Item = {
        pk: notesPartition,
        sk: `${notesPrefix(project)}${target}#${hour}`,
        state: comparison.state,
        at: now(),
        ttl: Math.ceil(now() / 1000) + retentionSeconds,
      };
      await client.send(new PutCommand({ TableName, Item }));
      return true;
    },

    /** Yields recorded differences that are so old that no stream record can be pending. */
    due: async function* (): AsyncGenerator<StatisticsNote> {
      for await (const { sk, state, at } of notes()) {
        if (now() - at < quietMilliseconds) continue;
        const [project = "", target, hour = ""] = sk.split("#");
        yield { project, target: target === "session" ? "session" : "trace", hour, state };
      }
    },

    /** Deletes the note of a recorded difference, which is processed once. */
    deleteNote: async ({ project, target, hour }: ScoreHour): Promise<void> => {
      const Key = { pk: notesPartition, sk: `${notesPrefix(project)}${target}#${hour}` };
      await client.send(new DeleteCommand({ TableName, Key }));
    },

    /** Repairs a recorded difference if it is unchanged. @returns the number of repaired names. */
    repair: async ({ state, ...scoreHour }: StatisticsNote, until: number): Promise<number> => {
      const comparison = await compare(scoreHour, until);
      if (comparison === null || comparison.state !== state) return 0;
      let repaired = 0;
      for (const difference of comparison.differences) if (await addMissing(scoreHour, difference)) repaired += 1;
      return repaired;
    },

    /** Yields the keys of a project's notes of recorded differences. */
    keysOf: async function* (project: string): AsyncGenerator<{ readonly pk: string; readonly sk: string }> {
      for await (const { sk } of notes(project)) yield { pk: notesPartition, sk };
    },
  };
};

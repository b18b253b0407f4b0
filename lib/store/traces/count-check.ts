import { createHash } from "node:crypto";
import { DeleteCommand, paginateQuery, PutCommand, TransactWriteCommand } from "@aws-sdk/lib-dynamodb";
import * as v from "valibot";
import type { Database } from "../database.ts";
import { holds } from "../failure.ts";
import { expiryOf, isGone } from "../expiry.ts";
import { mergedSort } from "./count-merge.ts";
import { traceDays } from "./days.ts";
import { rowPartition } from "./keys.ts";
import { counterOf, countsPartition, isCounterSort } from "./counts.ts";

/** Rows of a project that are counted at most; a larger one is left out. */
const mostRows = 200_000;

/** A transaction has 100 actions. */
const mostPartials = 60;
const mostCounters = 30;

/** Milliseconds in which neither rows nor counters may have moved: far more than the stream lags. */
const quietMilliseconds = 600_000;

const lookSeconds = 86_400;
const looksPartition = "pending#counts";

/** Key of the note that a project's counters are to be looked at again. */
export const countLookKey = (project: string) => ({ pk: looksPartition, sk: `${project}#look` });

const partial = v.object({ sk: v.string(), n: v.number(), seq: v.optional(v.string()), ttl: v.optional(v.number()) });
const row = v.object({ ttl: v.optional(v.number()) });
const look = v.object({ sk: v.string(), state: v.string(), at: v.number() });

/** What the counters of a project say, and by how much that is wrong. */
interface Comparison {
  /** The same as long as neither rows nor counters move. */
  readonly state: string;
  readonly partials: readonly v.InferOutput<typeof partial>[];
  /** By counter, where it is not 0. */
  readonly missing: ReadonlyMap<string, { readonly n: number; readonly ttl: number | undefined }>;
}

/** Begins the sort keys of partials: what a counter is called. */
const counterIn = (sort: string): string => sort.slice(0, sort.lastIndexOf("#") + 1);

/**
 * Compares the folded counters of traces with the rows. What a stream has not told yet looks like a difference: it is noted,
 * and only mended when everything has stood still since.
 */
export const countCheck = (database: Database, now: () => number = Date.now) => {
  const { client, table } = database;
  const TableName = table("aggregates");

  const query = async function* (name: "rows" | "aggregates", pk: unknown, more: object = {}) {
    const input = {
      TableName: table(name),
      KeyConditionExpression: "pk = :pk",
      ExpressionAttributeValues: { ":pk": pk },
      ConsistentRead: true,
      ...more,
    };
    for await (const { Items = [] } of paginateQuery({ client }, input)) yield* Items;
  };

  /** How many rows each counter should tell; null of a project with too many. */
  const counted = async (project: string) => {
    const counters = new Map<string, { n: number; readonly ttl: number | undefined }>();
    let rows = 0;
    const only = {
      FilterExpression: "attribute_exists(d)",
      ProjectionExpression: "#ttl",
      ExpressionAttributeNames: { "#ttl": "ttl" },
    };
    for (const day of await traceDays(database).list(project, true)) {
      for await (const item of query("rows", rowPartition(project, day), only)) {
        if ((rows += 1) > mostRows) return null;
        const { ttl } = v.parse(row, item);
        const expiry = expiryOf(ttl);
        if (isGone(expiry, now())) continue;
        const counter = counters.get(counterOf(expiry)) ?? { n: 0, ttl };
        counter.n += 1;
        counters.set(counterOf(expiry), counter);
      }
    }
    return counters;
  };

  const compare = async (project: string): Promise<Comparison | null> => {
    const missing = await counted(project);
    if (missing === null) return null;
    const partials: v.InferOutput<typeof partial>[] = [];
    for await (const item of query("aggregates", countsPartition(project))) {
      if (isCounterSort(item["sk"])) partials.push(v.parse(partial, item));
    }
    const state = createHash("sha256")
      .update(JSON.stringify([[...missing], partials]))
      .digest("base64url");
    // Nobody reads the counter of a day that is over.
    const tomorrow = counterOf(new Date(now() + 86_400_000).toISOString().slice(0, 10));
    for (const { sk, n, ttl } of partials.filter((each) => each.sk >= tomorrow)) {
      const counter = missing.get(counterIn(sk)) ?? { n: 0, ttl };
      missing.set(counterIn(sk), { ...counter, n: counter.n - n });
    }
    return { state, partials, missing: new Map([...missing].filter(([, { n }]) => n !== 0)) };
  };

  /** Adds what is missing where counters are merged, as long as no counter has moved. */
  const mend = (project: string, { partials, missing }: Comparison): Promise<boolean> => {
    const pk = countsPartition(project);
    const adding = new Set([...missing.keys()].map(mergedSort));
    const unmoved = partials
      .filter(({ sk }) => !adding.has(sk))
      .map(({ sk, n }) => ({
        ConditionCheck: {
          TableName,
          Key: { pk, sk },
          ConditionExpression: "n = :n",
          ExpressionAttributeValues: { ":n": n },
        },
      }));
    const additions = [...missing].map(([counter, { n, ttl }]) => {
      const sk = mergedSort(counter);
      const before = partials.find((each) => each.sk === sk);
      return {
        Put: {
          TableName,
          Item: { ...before, pk, sk, n: n + (before?.n ?? 0), ttl: ttl === undefined ? undefined : ttl + lookSeconds },
          ConditionExpression: before === undefined ? "attribute_not_exists(pk)" : "n = :n",
          ...(before !== undefined && { ExpressionAttributeValues: { ":n": before.n } }),
        },
      };
    });
    return holds(client.send(new TransactWriteCommand({ TransactItems: [...additions, ...unmoved] })));
  };

  return {
    /** Compares, and notes a difference to be looked at again. @returns whether there is one. */
    look: async (project: string): Promise<boolean> => {
      const found = await compare(project);
      if (found === null || found.missing.size === 0) return false;
      const noted = { state: found.state, at: now(), ttl: Math.ceil(now() / 1000) + lookSeconds };
      await client.send(new PutCommand({ TableName, Item: { ...countLookKey(project), ...noted } }));
      return true;
    },

    /** Looks again at the differences that were noted minutes ago. @returns the projects whose counters were mended. */
    mendNoted: async (): Promise<readonly string[]> => {
      const mended: string[] = [];
      for await (const item of query("aggregates", looksPartition)) {
        const { sk, state, at } = v.parse(look, item);
        if (now() - at < quietMilliseconds) continue;
        const project = sk.slice(0, sk.indexOf("#"));
        const found = await compare(project);
        const stands = found !== null && found.state === state && found.missing.size > 0;
        const fits = stands && found.partials.length <= mostPartials && found.missing.size <= mostCounters;
        if (fits && (await mend(project, found))) mended.push(project);
        await client.send(new DeleteCommand({ TableName, Key: { pk: looksPartition, sk } }));
      }
      return mended;
    },
  };
};

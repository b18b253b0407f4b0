import { randomUUID } from "node:crypto";
import { paginateQuery, PutCommand, QueryCommand } from "@aws-sdk/lib-dynamodb";
import * as v from "valibot";
import { sideBySide } from "../../async/side-by-side.ts";
import type { NewestScore } from "../../domain/scores/newest-score.ts";
import type { Score } from "../../domain/scores/score.ts";
import { attempts, contended } from "../attempts.ts";
import { batchGet } from "../batch-get.ts";
import type { Database } from "../database.ts";
import { isLive } from "../is-live.ts";
import * as patience from "../patience.ts";
import { unpackScore } from "./codec.ts";
import { scoreOrder } from "./keys.ts";
import {
  markKey,
  newestKey,
  newestPartition,
  newestPrefix,
  packNewest,
  unpackNewest,
  type Newest,
  type ScoredLife,
} from "./newest-codec.ts";
import { targetQuery } from "./query.ts";

/** Scores of one life, by their names and orders, see `scoreOrder`. */
export interface ScoredPlace extends ScoredLife {
  readonly name: string;
  readonly order: string;
}

/** Seconds after which it is forgotten that a life has no score of a name any more: longer than any writer takes. */
const emptySeconds = 3600;

/** Scores read at first, and by how many times more after each page that leaves something open: the newest mostly suffice. */
const [firstPage, growth] = [25, 4];

/** Lives that are looked at side by side, and names of one that are written so. */
const [livesAtOnce, namesAtOnce] = [20, 10];

/** Names of a life whose items are read together; of more only those that are asked for. */
const mostAtOnce = 50;

const copy = v.object({ n: v.string(), d: v.instance(Uint8Array), ttl: v.optional(v.number()) });
const held = v.object({ sk: v.string(), g: v.string(), o: v.optional(v.string()), b: v.optional(v.boolean()) });

type Held = v.InferOutput<typeof held>;

/** The newest scores of a name, and when the first of them expires. */
interface Found extends Newest {
  readonly ttl: number | undefined;
}

const nothing: Found = { success: null, failure: null, ttl: undefined };

const earliest = (a: number | undefined, b: number | undefined): number | undefined =>
  a === undefined ? b : Math.min(a, b ?? a);

/** With one more score, an older one than those before. */
const withOlder = (found: Found, score: Score, ttl: number | undefined): Found => {
  if (found.success !== null) return found;
  if (score.status === "SUCCESS") return { ...found, success: score, ttl: earliest(found.ttl, ttl) };
  if (score.status !== "FAILED" || found.failure !== null) return found;
  return { ...found, failure: score, ttl: earliest(found.ttl, ttl) };
};

/**
 * The newest score of each name of a life in an item of its own, so that a row's version tells that the trace changed and
 * nothing else. Computed anew from the copies by target, strongly read, when a score has changed: whoever reads later knows
 * more, so records may come late, twice and in any order. Of two that compute at once one looks again. The first score of a
 * life brings the names that a version before has scored with it.
 */
export const newestScores = (database: Database, now: () => number = Date.now) => {
  const { client, table } = database;
  const [TableName, scores] = [table("aggregates"), table("scores")];

  const queryOf = (life: ScoredLife) => ({
    TableName,
    KeyConditionExpression: "pk = :pk AND begins_with(sk, :life)",
    ExpressionAttributeValues: { ":pk": newestPartition(life), ":life": newestPrefix(life) },
  });

  /** What is held of some names of a life, by sort key, and whether it is known of any name that has scores. */
  const heldOf = async (life: ScoredLife, names: Iterable<string>) => {
    const { Items = [], LastEvaluatedKey } = await client.send(
      new QueryCommand({ ...queryOf(life), ConsistentRead: true, Limit: mostAtOnce }),
    );
    const keys = Array.from(names, (name) => newestKey(life, name));
    const others =
      LastEvaluatedKey === undefined ? [] : keys.filter(({ sk }) => Items.every((each) => each["sk"] !== sk));
    const items = [...Items, ...(await batchGet(database, "aggregates", others))].map((each) => v.parse(held, each));
    return {
      items: new Map(items.map((each) => [each.sk, each])),
      isWhole: items.length > 0 && !items.some(({ b }) => b === true),
    };
  };

  /** The newest scores of some names; of all when null. Of a name without any there is no entry. */
  const newest = async (life: ScoredLife, names: ReadonlySet<string> | null) => {
    const found = new Map<string, Found>();
    const filter = { target_id: life.id, ...(life.incarnation !== null && { incarnation: life.incarnation }) };
    const query = targetQuery(life.target, life.project, filter, now());
    const open = new Set(names);
    const isOpen = (): boolean => names === null || open.size > 0;
    let start: Record<string, unknown> | undefined;
    let Limit = firstPage;
    do {
      const { Items = [], LastEvaluatedKey } = await client.send(
        new QueryCommand({ TableName: scores, ...query, ExclusiveStartKey: start, Limit }),
      );
      for (const item of Items) {
        const { n: name, d, ttl } = v.parse(copy, item);
        if (names !== null && !open.has(name)) continue;
        const known = withOlder(found.get(name) ?? nothing, unpackScore(d), ttl);
        if (known !== nothing) found.set(name, known);
        if (known.success !== null) open.delete(name);
      }
      start = LastEvaluatedKey;
      Limit *= growth;
    } while (start !== undefined && isOpen());
    return found;
  };

  /** Stores what was found of a name, unless somebody else came first. */
  const put = async (Key: { pk: string; sk: string }, name: string, found: Found, there: Held | undefined) => {
    const { success, failure, ttl } = found;
    const Item =
      success === null && failure === null
        ? { ...Key, ttl: Math.floor(now() / 1000) + emptySeconds }
        : { ...Key, ...packNewest(name, found), ttl };
    await client.send(
      new PutCommand({
        TableName,
        Item: { ...Item, g: randomUUID() },
        ConditionExpression: there === undefined ? "attribute_not_exists(pk)" : "g = :g",
        ...(there !== undefined && { ExpressionAttributeValues: { ":g": there.g } }),
      }),
    );
  };

  /** Says whether names are being brought in: who finds that it never ended brings them in once more. */
  const mark = (life: ScoredLife, state: { readonly b: true } | { readonly ttl: number }) =>
    client.send(new PutCommand({ TableName, Item: { ...markKey(life), g: randomUUID(), ...state } }));

  /** Brings what is known of one life up to date after some of its scores have changed. */
  const refreshLife = async (life: ScoredLife, changed: readonly ScoredPlace[]): Promise<void> => {
    const names = new Set(changed.map(({ name }) => name));
    const { items, isWhole } = await heldOf(life, names);
    const found = await newest(life, isWhole ? names : null);
    const update = async (name: string): Promise<void> => {
      const Key = newestKey(life, name);
      const [there, now] = [items.get(Key.sk), found.get(name) ?? nothing];
      const isTold = now.success !== null && there?.o === scoreOrder(now.success.created_at, now.success.id);
      // What is older than the newest success changes nothing, as long as that is the one that is told.
      if (isTold && changed.every((each) => each.name !== name || each.order < (there?.o ?? ""))) return;
      await put(Key, name, now, there);
    };
    const older = new Set(found.keys()).difference(names);
    if (older.size === 0) return void (await sideBySide(names, namesAtOnce, update));
    await mark(life, { b: true });
    await sideBySide(new Set([...older, ...names]), namesAtOnce, update);
    await mark(life, { ttl: Math.floor(now() / 1000) + emptySeconds });
  };

  const lifeOf = ({ project, target, id, incarnation }: ScoredLife): string =>
    JSON.stringify([project, target, id, incarnation]);

  return {
    /** Looks again at the lives and names of scores that have come, changed or gone; each life once. */
    refresh: async (changes: readonly ScoredPlace[]): Promise<void> => {
      const moved = contended("The newest scores of a trace moved at every attempt to note them.");
      await sideBySide(Map.groupBy(changes, lifeOf).values(), livesAtOnce, async (changed) => {
        const [life] = changed;
        if (life !== undefined) await attempts(patience.brief, moved, () => refreshLife(life, changed));
      });
    },

    /**
     * The newest scores of each life, by name in no particular order; they may lag writes by seconds. What a version before
     * has scored is found, too, unless it is known that there is none.
     */
    of: (lives: readonly ScoredLife[], former = true): Promise<(readonly NewestScore[])[]> =>
      sideBySide(lives, livesAtOnce, async (life) => {
        const items: Record<string, unknown>[] = [];
        for await (const page of paginateQuery({ client }, queryOf(life))) items.push(...(page.Items ?? []));
        if ((former && items.length === 0) || items.some((item) => item["b"] === true)) {
          return [...(await newest(life, null))].flatMap(([name, each]) => unpackNewest(packNewest(name, each)) ?? []);
        }
        return items.filter((item) => isLive(item, now())).flatMap((item) => unpackNewest(item) ?? []);
      }),
  };
};

import { randomUUID } from "node:crypto";
import * as v from "valibot";
import { mapConcurrently } from "../../async/concurrency.ts";
import type { NewestScore } from "../../domain/scores/newest-score.ts";
import type { Score } from "../../domain/scores/score.ts";
import { withRetries, throwContention } from "../../dynamo/with-retries.ts";
import { batchGet } from "../../dynamo/batches.ts";
import type { Database } from "../../dynamo/database.ts";
import { ifAbsent, itemsOf, type Page } from "../../dynamo/items.ts";
import { isLive } from "../../dynamo/is-live.ts";
import { immediateRetryPolicy } from "../../dynamo/retry-policies.ts";
import { unpackScore } from "./codec.ts";
import { scoreOrder } from "./keys.ts";
import {
  newestKey,
  newestPartition,
  newestPrefix,
  packNewest,
  unpackNewest,
  type NewestByOutcome,
  type ScoredIncarnation,
} from "./newest-codec.ts";
import { targetQuery } from "./query.ts";

/** A score of one incarnation, by name and sort key (see `scoreOrder`). */
export interface ScoreLocation extends ScoredIncarnation {
  readonly name: string;
  readonly order: string;
}

/** Seconds that the item of a name without scores is stored: longer than any writer runs. */
const emptySeconds = 3600;

/** Scores read in the first page, and the factor by which each further page grows: mostly the newest scores suffice. */
const [firstPage, growth] = [25, 4];

/** Incarnations that are processed in parallel, and names of one incarnation that are written in parallel. */
const [parallelIncarnations, parallelNames] = [20, 10];

/** Max names of an incarnation whose items are read in one query; of further names only the requested ones are read. */
const maxItemsAtOnce = 50;

const copy = v.object({ n: v.string(), d: v.instance(Uint8Array), ttl: v.optional(v.number()) });
const storedItem = v.object({ sk: v.string(), g: v.string(), o: v.optional(v.string()) });

type StoredItem = v.InferOutput<typeof storedItem>;

/** The newest scores of a name, and the earliest expiry among them. */
interface NewestWithExpiry extends NewestByOutcome {
  readonly ttl: number | undefined;
}

const noScores: NewestWithExpiry = { success: null, failure: null, ttl: undefined };

const earliest = (a: number | undefined, b: number | undefined): number | undefined =>
  a === undefined ? b : Math.min(a, b ?? a);

/** Adds a score that is older than the current ones. */
const withOlder = (current: NewestWithExpiry, score: Score, ttl: number | undefined): NewestWithExpiry => {
  if (current.success !== null) return current;
  if (score.status === "SUCCESS") return { ...current, success: score, ttl: earliest(current.ttl, ttl) };
  if (score.status !== "FAILED" || current.failure !== null) return current;
  return { ...current, failure: score, ttl: earliest(current.ttl, ttl) };
};

/**
 * Store of the newest score of each name of a session or of one incarnation of a trace. Each name has an item of its
 * own, so that scores do not change the version of the trace's row. Each change of a score recomputes the item from the
 * copies by target, strongly consistent; so stream records can come late, twice and in any order. Of two concurrent
 * computations the slower one is repeated.
 */
export const newestScores = (database: Database, now: () => number = Date.now) => {
  const sums = itemsOf(database, "aggregates");

  const queryOf = (target: ScoredIncarnation) => ({ pk: newestPartition(target), prefix: newestPrefix(target) });

  /** Reads the stored items of some names, by sort key. */
  const readItems = async (target: ScoredIncarnation, names: Iterable<string>) => {
    const page = await sums.page({ ...queryOf(target), limit: maxItemsAtOnce });
    const keys = Array.from(names, (name) => newestKey(target, name));
    const missingKeys =
      page.next === undefined ? [] : keys.filter(({ sk }) => page.items.every((each) => each["sk"] !== sk));
    const items = [...page.items, ...(await batchGet(database, "aggregates", missingKeys))].map((each) =>
      v.parse(storedItem, each),
    );
    return new Map(items.map((each) => [each.sk, each]));
  };

  /** Reads the newest scores of some names. Names without scores have no entry. */
  const newest = async (target: ScoredIncarnation, names: ReadonlySet<string>) => {
    const newestByName = new Map<string, NewestWithExpiry>();
    const filter = { target_id: target.id, ...(target.incarnation !== null && { incarnation: target.incarnation }) };
    const query = targetQuery(target.target, target.project, filter, now());
    const openNames = new Set(names);
    let [limit, start]: [number, Page["next"]] = [firstPage, undefined];
    if (query === null) return newestByName;
    do {
      const { items, next }: Page = await itemsOf(database, "scores").page({ ...query, start, limit });
      for (const item of items) {
        const { n: name, d, ttl } = v.parse(copy, item);
        if (!openNames.has(name)) continue;
        const updated = withOlder(newestByName.get(name) ?? noScores, unpackScore(d), ttl);
        if (updated !== noScores) newestByName.set(name, updated);
        if (updated.success !== null) openNames.delete(name);
      }
      start = next;
      limit *= growth;
    } while (start !== undefined && openNames.size > 0);
    return newestByName;
  };

  /** Stores the newest scores of a name, unless another writer was faster. */
  const put = async (
    Key: { pk: string; sk: string },
    name: string,
    newest: NewestWithExpiry,
    existing: StoredItem | undefined,
  ) => {
    const { success, failure, ttl } = newest;
    const item =
      success === null && failure === null
        ? { ...Key, ttl: Math.floor(now() / 1000) + emptySeconds }
        : { ...Key, ...packNewest(name, newest), ttl };
    const when = existing === undefined ? ifAbsent : "g = :g";
    await sums.put({ ...item, g: randomUUID() }, { when, values: { ":g": existing?.g } });
  };

  /** Recomputes the newest scores of one incarnation after changes of its scores. */
  const refreshTarget = async (target: ScoredIncarnation, changed: readonly ScoreLocation[]): Promise<void> => {
    const names = new Set(changed.map(({ name }) => name));
    const items = await readItems(target, names);
    const newestByName = await newest(target, names);
    const update = async (name: string): Promise<void> => {
      const Key = newestKey(target, name);
      const [existing, current] = [items.get(Key.sk), newestByName.get(name) ?? noScores];
      const isRecorded =
        current.success !== null && existing?.o === scoreOrder(current.success.created_at, current.success.id);
      // A change of an older score has no effect while the newest success is unchanged.
      if (isRecorded && changed.every((each) => each.name !== name || each.order < (existing?.o ?? ""))) return;
      await put(Key, name, current, existing);
    };
    await mapConcurrently(names, parallelNames, update);
  };

  const targetText = ({ project, target, id, incarnation }: ScoredIncarnation): string =>
    JSON.stringify([project, target, id, incarnation]);

  return {
    /** Recomputes the newest scores of the incarnations and names of changed scores; each incarnation once. */
    refresh: async (changes: readonly ScoreLocation[]): Promise<void> => {
      const contention = throwContention("The newest scores of the trace changed during every attempt to update them.");
      await mapConcurrently(Map.groupBy(changes, targetText).values(), parallelIncarnations, async (changed) => {
        const [target] = changed;
        if (target !== undefined)
          await withRetries(immediateRetryPolicy, contention, () => refreshTarget(target, changed));
      });
    },

    /** Reads the newest scores of each incarnation, by name in no particular order; they may lag writes by seconds. */
    of: (targets: readonly ScoredIncarnation[]): Promise<(readonly NewestScore[])[]> =>
      mapConcurrently(targets, parallelIncarnations, async (target) => {
        const items = await sums.list({ ...queryOf(target), strongly: false });
        return items.filter((item) => isLive(item, now())).flatMap((item) => unpackNewest(item) ?? []);
      }),
  };
};

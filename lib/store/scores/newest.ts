import { randomUUID } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import * as v from "valibot";
import { mapConcurrently } from "../../async/concurrency.ts";
import type { NewestScore } from "../../domain/scores/newest-score.ts";
import type { ScoreGiver } from "../../domain/scores/precedence.ts";
import { withRetries, throwContention } from "../../dynamo/with-retries.ts";
import { batchGet } from "../../dynamo/batches.ts";
import type { Database } from "../../dynamo/database.ts";
import { ifAbsent, itemsOf } from "../../dynamo/items.ts";
import { projectExistence } from "../access/existing-projects.ts";
import { isLive } from "../../dynamo/is-live.ts";
import { immediateRetryPolicy } from "../../dynamo/retry-policies.ts";
import {
  newestKey,
  newestPartition,
  newestPrefix,
  packNewest,
  recordedOrders,
  unpackNewest,
  type ScoredIncarnation,
} from "./newest/newest-codec.ts";
import { newestOfNames, ordersOf, type NewestWithExpiry, type ScoreLocation } from "./newest/newest-of-names.ts";

/** Seconds that the item of a name without scores is stored: longer than any writer runs. */
const emptySeconds = 3600;

/** Incarnations that are processed in parallel, and names of one incarnation that are written in parallel. */
const [parallelIncarnations, parallelNames] = [20, 10];

/** Max names of an incarnation whose items are read in one query; of further names only the requested ones are read. */
const maxItemsAtOnce = 50;

const storedItem = v.pipe(
  v.looseObject({ sk: v.string(), g: v.string() }),
  v.transform((value) => ({ sk: value.sk, g: value.g, orders: recordedOrders(value) })),
);

type StoredItem = v.InferOutput<typeof storedItem>;

/**
 * Store of the newest score of each name of a session or of one incarnation of a trace. Each name has an item of its
 * own, so that scores do not change the version of the trace's row. Each change of a score recomputes the item from
 * copies by target, strongly consistent; so stream records can come late, twice and in any order. Of two concurrent
 * computations the slower one is repeated.
 */
export const newestScores = (database: Database, now: () => number = Date.now, window?: number) => {
  const sums = itemsOf(database, "aggregates");
  const projectExists = projectExistence(database);
  const readNewest = newestOfNames(database, now, window);

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

  /**
   * Stores the newest scores of a name, unless another writer was faster. A name without scores or item of a deleted project is
   * not stored.
   */
  const put = async (
    target: ScoredIncarnation,
    name: string,
    newest: NewestWithExpiry,
    existing: StoredItem | undefined,
  ) => {
    const { person, program, failure, ttl } = newest;
    const isEmpty = person === null && program === null && failure === null;
    if (isEmpty && existing === undefined && !(await projectExists(target.project))) return;
    const item = isEmpty
      ? { ...newestKey(target, name), ttl: Math.floor(now() / 1000) + emptySeconds }
      : { ...newestKey(target, name), ...packNewest(name, newest), ttl };
    const when = existing === undefined ? ifAbsent : "g = :g";
    await sums.put({ ...item, g: randomUUID() }, { when, values: { ":g": existing?.g } });
  };

  /** Recomputes the newest scores of one incarnation after changes of its scores. */
  const refreshTarget = async (target: ScoredIncarnation, changed: readonly ScoreLocation[]): Promise<void> => {
    const names = new Set(changed.map(({ name }) => name));
    const items = await readItems(target, names);
    const recordOf = (name: string) => items.get(newestKey(target, name).sk);
    const newestOf = await readNewest(target, changed, (name) => recordOf(name)?.orders);
    const update = async (name: string): Promise<void> => {
      const [existing, current] = [recordOf(name), newestOf(name)];
      const { person = "", program = "", failure } = ordersOf(current);
      // A change of an older score has no effect while the newest scores are unchanged.
      const hasNoEffect = ({ order, status }: ScoreLocation): boolean =>
        (order !== person && order !== program && (order < person || order < program)) ||
        (status === "FAILED" && failure !== undefined && order < failure);
      const isRecorded = isDeepStrictEqual(existing?.orders, ordersOf(current));
      if (isRecorded && changed.every((each) => each.name !== name || hasNoEffect(each))) return;
      await put(target, name, current, existing);
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

    /** Reads the newest score of one name of each incarnation, at half a read unit each; null where there is none. They may lag writes by seconds. */
    named: async (targets: readonly ScoredIncarnation[], name: string): Promise<(NewestScore | null)[]> => {
      const keys = targets.map((target) => newestKey(target, name));
      const items = await batchGet(database, "aggregates", keys, { strongly: false });
      const live = new Map(items.filter((item) => isLive(item, now())).map((item) => [String(item["pk"]), item]));
      return keys.map(({ pk }) => {
        const item = live.get(pk);
        return item === undefined ? null : unpackNewest(item);
      });
    },

    /**
     * Reads the newest scores of each incarnation, by name in no particular order; they may lag writes by seconds.
     *
     * @param giver whose newest scores; those that count if absent.
     */
    of: (targets: readonly ScoredIncarnation[], giver?: ScoreGiver): Promise<(readonly NewestScore[])[]> =>
      mapConcurrently(targets, parallelIncarnations, async (target) => {
        const items = await sums.list({ ...queryOf(target), strongly: false });
        return items.filter((item) => isLive(item, now())).flatMap((item) => unpackNewest(item, giver) ?? []);
      }),
  };
};

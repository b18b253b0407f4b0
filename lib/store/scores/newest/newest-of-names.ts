import * as v from "valibot";
import type { Score, ScoreStatus } from "../../../domain/scores/score.ts";
import { batchGet } from "../../../dynamo/batches.ts";
import type { Database } from "../../../dynamo/database.ts";
import { isLive } from "../../../dynamo/is-live.ts";
import { itemsOf, type ItemPage } from "../../../dynamo/items.ts";
import { unpackScore } from "../codec.ts";
import { copyPartition, scoreOrder } from "../keys.ts";
import type { NewestByOutcome, ScoredIncarnation } from "../newest-codec.ts";
import { targetQuery, type ScoreFilter } from "../query.ts";

/** A change of a score of one incarnation, by name and sort key (see `scoreOrder`). */
export interface ScoreLocation extends ScoredIncarnation {
  readonly name: string;
  readonly order: string;
  /** Status after the change; null if the score was removed. */
  readonly status: ScoreStatus | null;
}

/** Sort keys of the newest success and of the newest failure that a name's item has. */
export interface RecordedOrders {
  readonly o?: string | undefined;
  readonly f?: string | undefined;
}

/** The newest scores of a name, and the earliest expiry among them. */
export interface NewestWithExpiry extends NewestByOutcome {
  readonly ttl: number | undefined;
}

/** Returns the sort key of a score; undefined for none. */
export const orderOf = (score: Score | null): string | undefined =>
  score === null ? undefined : scoreOrder(score.created_at, score.id);

/** Scores read in the first page, and the factor by which each further page grows: mostly the newest scores suffice. */
const [firstPage, growth] = [25, 4];

/** Max scores of a target that are read for a predecessor of a removed score: about 100 read units. */
const defaultWindow = 1_000;

const copy = v.object({
  sk: v.string(),
  n: v.string(),
  d: v.instance(Uint8Array),
  i: v.optional(v.string()),
  ttl: v.optional(v.number()),
});

type StoredCopy = v.InferOutput<typeof copy>;

const earliest = (a: number | undefined, b: number | undefined): number | undefined =>
  a === undefined ? b : Math.min(a, b ?? a);

const noScores: NewestWithExpiry = { success: null, failure: null, ttl: undefined };

/** Adds a score that is older than the current ones. */
const withOlder = (current: NewestWithExpiry, { d, ttl }: StoredCopy): NewestWithExpiry => {
  if (current.success !== null) return current;
  const score = unpackScore(d);
  if (score.status === "SUCCESS") return { ...current, success: score, ttl: earliest(current.ttl, ttl) };
  if (score.status !== "FAILED" || current.failure !== null) return current;
  return { ...current, failure: score, ttl: earliest(current.ttl, ttl) };
};

/** Copies of scores read so far, by name. */
const copiesByName = () => {
  const copies = new Map<string, Map<string, StoredCopy>>();
  return {
    add: (items: ItemPage["items"]): void => {
      for (const each of items.map((item) => v.parse(copy, item))) {
        const ofName = copies.get(each.n) ?? new Map<string, StoredCopy>();
        copies.set(each.n, ofName.set(each.sk, each));
      }
    },
    newestOf: (name: string): NewestWithExpiry =>
      [...(copies.get(name)?.values() ?? [])].toSorted((a, b) => (a.sk < b.sk ? 1 : -1)).reduce(withOlder, noScores),
  };
};

/** True if `order` is later than a score's, or if there is no score. */
const isAfter = (order: string | undefined, score: Score | null): boolean =>
  order !== undefined && order > (orderOf(score) ?? "");

/**
 * Returns a function that reads the newest scores of changed names of one incarnation from the copies by target,
 * strongly consistent: a page of the newest scores, then by key the changed ones and those that the names' items have.
 * Only if one of the latter was removed, older scores are searched, at most `window` of them.
 */
export const newestOfNames = (database: Database, now: () => number, window = defaultWindow) => {
  const scores = itemsOf(database, "scores");

  return async (
    target: ScoredIncarnation,
    changes: readonly ScoreLocation[],
    recordOf: (name: string) => RecordedOrders | undefined,
  ): Promise<(name: string) => NewestWithExpiry> => {
    const filter: ScoreFilter & { readonly target_id: string } = {
      target_id: target.id,
      ...(target.incarnation !== null && { incarnation: target.incarnation }),
    };
    const copies = copiesByName();
    const readPage = async (
      limit: number,
      bounds: Pick<ScoreFilter, "date_to" | "name"> = {},
      start?: ItemPage["next"],
    ): Promise<ItemPage["next"]> => {
      const query = targetQuery(target.target, target.project, { ...filter, ...bounds }, now());
      if (query === null) return undefined;
      const { items, next } = await scores.page({ ...query, start, limit });
      copies.add(items);
      return next;
    };

    const end = await readPage(firstPage);
    if (end === undefined) return copies.newestOf;
    const names = new Set(changes.map(({ name }) => name));

    /** Sort keys of a name's scores that the page does not contain and that may be the newest. */
    const olderOrders = (name: string): readonly string[] => {
      const { success, failure } = copies.newestOf(name);
      if (success !== null) return [];
      const { o, f } = recordOf(name) ?? {};
      const statuses: readonly unknown[] = failure === null ? ["SUCCESS", "FAILED"] : ["SUCCESS"];
      const changed = changes.filter((each) => each.name === name && statuses.includes(each.status));
      return [...changed.map(({ order }) => order), o, failure === null ? f : undefined].flatMap((order) =>
        order !== undefined && order < String(end["sk"]) ? [order] : [],
      );
    };
    const pk = copyPartition(target.target, target.project, target.id);
    const keys = Array.from(new Set([...names].flatMap(olderOrders)), (sk) => ({ pk, sk }));
    const older = keys.length === 0 ? [] : await batchGet(database, "scores", keys);
    copies.add(
      older.filter((item) => isLive(item, now()) && (target.incarnation === null || item["i"] === target.incarnation)),
    );

    /** The sort key from which predecessors of a name's removed scores are searched; empty if none is missing. */
    const missing = (name: string) => {
      const { success, failure } = copies.newestOf(name);
      const { o, f } = recordOf(name) ?? {};
      const isSuccessMissing = isAfter(o, success);
      const from = isAfter(f, success) && isAfter(f, failure) ? f : isSuccessMissing ? o : undefined;
      return from === undefined ? [] : [{ name, from, isSuccessMissing }];
    };
    let searches = [...names].flatMap(missing);
    const from = searches
      .map((each) => each.from)
      .toSorted()
      .at(-1);
    const [search] = searches.length === 1 ? searches : [];
    let [limit, remaining, start]: [number, number, ItemPage["next"]] = [firstPage * growth, window, undefined];
    while (searches.length > 0 && remaining > 0) {
      start = await readPage(Math.min(limit, remaining), { date_to: from, name: search?.name }, start);
      if (start === undefined) break;
      [remaining, limit] = [remaining - limit, limit * growth];
      const oldest = String(start["sk"]);
      searches = searches.filter(({ name, isSuccessMissing }) => {
        const { success, failure } = copies.newestOf(name);
        return isAfter(oldest, success) && (isSuccessMissing || isAfter(oldest, failure));
      });
    }
    return copies.newestOf;
  };
};

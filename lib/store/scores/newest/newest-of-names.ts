import * as v from "valibot";
import { giverOf, scoreGivers, type ScoreGiver } from "../../../domain/scores/precedence.ts";
import { scoreSources, type Score, type ScoreStatus } from "../../../domain/scores/score.ts";
import { batchGet } from "../../../dynamo/batches.ts";
import type { Database } from "../../../dynamo/database.ts";
import { isLive } from "../../../dynamo/is-live.ts";
import { itemsOf, type ItemPage } from "../../../dynamo/items.ts";
import { unpackScore } from "../codec.ts";
import { copyPartition, scoreOrder } from "../keys.ts";
import { successesOf, type NewestByOutcome, type RecordedOrders, type ScoredIncarnation } from "./newest-codec.ts";
import { targetQuery, type ScoreFilter } from "../query.ts";

/** A change of a score of one incarnation, by name and sort key (see `scoreOrder`). */
export interface ScoreLocation extends ScoredIncarnation {
  readonly name: string;
  readonly order: string;
  /** Status after the change; null if the score was removed. */
  readonly status: ScoreStatus | null;
}

/** The newest scores of a name, and the earliest expiry among them. */
export interface NewestWithExpiry extends NewestByOutcome {
  readonly ttl: number | undefined;
}

/** Returns the sort key of a score; undefined for none. */
const orderOf = (score: Score | null | undefined): string | undefined =>
  score == null ? undefined : scoreOrder(score.created_at, score.id);

/** Returns the sort keys of the newest scores of a name. */
export const ordersOf = ({ person, program, failure }: NewestByOutcome): RecordedOrders => ({
  person: orderOf(person),
  program: orderOf(program),
  failure: orderOf(failure),
});

const noOrders: RecordedOrders = { person: undefined, program: undefined, failure: undefined };

/** Scores read in the first page, and the factor by which each further page grows: mostly the newest scores suffice. */
const [firstPage, growth] = [25, 4];

/** Max scores of a target that are read for a predecessor of a removed score: about 100 read units. */
const defaultWindow = 1_000;

const copy = v.object({
  sk: v.string(),
  n: v.string(),
  so: v.picklist(scoreSources),
  d: v.instance(Uint8Array),
  i: v.optional(v.string()),
  ttl: v.optional(v.number()),
});

type StoredCopy = v.InferOutput<typeof copy>;

const earliest = (a: number | undefined, b: number | undefined): number | undefined =>
  a === undefined ? b : Math.min(a, b ?? a);

const noScores: NewestWithExpiry = { person: null, program: null, failure: null, ttl: undefined };

/** Adds a score that is older than the current ones. */
const withOlder = (current: NewestWithExpiry, { so, d, ttl }: StoredCopy): NewestWithExpiry => {
  if (current[giverOf(so)] !== null) return current;
  const score = unpackScore(d);
  if (score.status === "SUCCESS") return { ...current, [giverOf(so)]: score, ttl: earliest(current.ttl, ttl) };
  const isNewestFailure = score.status === "FAILED" && current.failure === null && successesOf(current).length === 0;
  return isNewestFailure ? { ...current, failure: score, ttl: earliest(current.ttl, ttl) } : current;
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
      const newest = copies.newestOf(name);
      const successes = successesOf(newest);
      if (successes.length === scoreGivers.length) return [];
      const { person, program, failure } = recordOf(name) ?? noOrders;
      const readsFailures = newest.failure === null && successes.length === 0;
      const statuses: readonly unknown[] = readsFailures ? ["SUCCESS", "FAILED"] : ["SUCCESS"];
      const changed = changes.filter((each) => each.name === name && statuses.includes(each.status));
      const recorded = [person, program, readsFailures ? failure : undefined];
      return [...changed.map(({ order }) => order), ...recorded].flatMap((order) =>
        order !== undefined && order < String(end["sk"]) ? [order] : [],
      );
    };
    const pk = copyPartition(target.target, target.project, target.id);
    const keys = Array.from(new Set([...names].flatMap(olderOrders)), (sk) => ({ pk, sk }));
    const older = keys.length === 0 ? [] : await batchGet(database, "scores", keys);
    copies.add(
      older.filter((item) => isLive(item, now()) && (target.incarnation === null || item["i"] === target.incarnation)),
    );

    /** True if no success and no failure of a name was read that is as new as a sort key. */
    const isFailureAfter = (order: string | undefined, newest: NewestByOutcome): boolean =>
      [successesOf(newest)[0] ?? null, newest.failure].every((score) => isAfter(order, score));

    /** The sort key from which predecessors of a name's removed scores are searched; empty if none is missing. */
    const missing = (name: string) => {
      const [newest, record] = [copies.newestOf(name), recordOf(name) ?? noOrders];
      const givers: readonly ScoreGiver[] = scoreGivers.filter((giver) => isAfter(record[giver], newest[giver]));
      const orders = [
        isFailureAfter(record.failure, newest) ? record.failure : undefined,
        ...givers.map((giver) => record[giver]),
      ].flatMap((order) => order ?? []);
      const from = orders.toSorted().at(-1);
      return from === undefined ? [] : [{ name, from, givers }];
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
      searches = searches.filter(({ name, givers }) => {
        const newest = copies.newestOf(name);
        return givers.length === 0
          ? isFailureAfter(oldest, newest)
          : givers.some((giver) => isAfter(oldest, newest[giver]));
      });
    }
    return copies.newestOf;
  };
};

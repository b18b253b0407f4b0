import * as v from "valibot";
import { mapConcurrently } from "../../async/concurrency.ts";
import { hourOf, type Hour } from "../../domain/analytics/bucket.ts";
import {
  addStatistics,
  noStatistics,
  statisticsOf,
  type ScoreFact,
  type ScoreStatistics,
} from "../../domain/scores/statistics.ts";
import { withRetries, throwContention } from "../../dynamo/with-retries.ts";
import type { Database } from "../../dynamo/database.ts";
import { ifAbsent, itemsOf } from "../../dynamo/items.ts";
import { immediateRetryPolicy } from "../../dynamo/retry-policies.ts";
import type { ScoreTarget } from "./keys.ts";
import {
  packExpiry,
  packStatistics,
  sizeOfStatistics,
  statisticsExpiry,
  unpackStatistics,
} from "./statistics-codec.ts";
import { statisticsPartition, statisticsSort } from "./statistics-keys.ts";

/** Fields of a score that statistics count, with the score's name. */
export interface NamedScoreFact extends ScoreFact {
  readonly name: string;
  /** Expiry, epoch seconds; absent for a score that never expires. */
  readonly expiresAt?: number | undefined;
}

/** A score before and after a change, from a record of the scores' stream; null where it did not exist. */
export interface ScoreChange {
  readonly project: string;
  readonly target: ScoreTarget;
  readonly before: NamedScoreFact | null;
  readonly after: NamedScoreFact | null;
  /** Session id of a session's score. */
  readonly session: string | null;
  /** Sequence number of the record, increasing within its shard. */
  readonly sequence: bigint;
}

/** Sums of different names and hours that are updated in parallel; changes of one sum keep their order. */
const parallelFolds = 20;

/** Max distinct values in one item, which keeps it far below 400 KB; more values go into pages of their own. */
const maxValues = 4_000;

const head = v.object({
  seq: v.pipe(
    v.string(),
    v.transform((text) => BigInt(text)),
  ),
  pages: v.number(),
});

/** Statistics that a change adds to the sum of one name and hour. */
interface Addition {
  readonly target: ScoreTarget;
  readonly project: string;
  readonly hour: Hour;
  readonly name: string;
  readonly statistics: ScoreStatistics;
  /** Expiry, epoch seconds; infinite for a score that never expires. */
  readonly expiry: number;
  readonly sequence: bigint;
}

const additionsOf = ({ target, project, before, after, sequence }: ScoreChange): readonly Addition[] => {
  const addition = (fact: NamedScoreFact, sign: 1 | -1): Addition => {
    const { name, order, expiresAt: expiry = Number.POSITIVE_INFINITY } = fact;
    return { target, project, hour: hourOf(order), name, statistics: statisticsOf(fact, sign), expiry, sequence };
  };
  return [...(before === null ? [] : [addition(before, -1)]), ...(after === null ? [] : [addition(after, 1)])];
};

/**
 * Statistics of scores as partial sums: one per name, hour of creation and stream shard, with the sequence number of
 * the last added change. Changes up to that number are already counted.
 */
export const scoreStatistics = (database: Database, valueLimit = maxValues) => {
  const aggregates = itemsOf(database, "aggregates");

  /** Stores a sum, unless another worker was faster; a sum with too many values moves them into a page. */
  const put = async (
    key: { pk: string; sk: string },
    name: string,
    sum: ScoreStatistics,
    existing: StoredSum | null,
    { seq, e }: { readonly seq: bigint; readonly e: number | null },
  ) => {
    const [isFull, pages] = [sizeOfStatistics(sum) > valueLimit, existing?.pages ?? 0];
    const item = { ...key, ...packStatistics(name, isFull ? noStatistics : sum), seq: String(seq), pages, e };
    const values = { ":seq": existing && String(existing.seq) };
    const ifUnchanged = { when: existing === null ? ifAbsent : "seq = :seq", values };
    if (!isFull) return await aggregates.put(item, ifUnchanged);
    const page = { pk: key.pk, sk: `${key.sk}#${pages}`, ...packStatistics(name, sum) };
    return await aggregates.transact([{ put: { ...item, pages: pages + 1 }, ...ifUnchanged }, { put: page }]);
  };

  const readSum = async (key: { pk: string; sk: string }) => {
    const item = await aggregates.get(key);
    return item === undefined
      ? null
      : { ...v.parse(head, item), ...unpackStatistics(item), expiry: statisticsExpiry(item) };
  };

  type StoredSum = NonNullable<Awaited<ReturnType<typeof readSum>>>;

  const foldOne = async (shard: string, additions: readonly [Addition, ...Addition[]]): Promise<void> => {
    const [{ target, project, hour, name }] = additions;
    const key = { pk: statisticsPartition(target, project), sk: statisticsSort(hour, name, shard) };
    const contention = throwContention("The score statistics changed during every attempt to update them.");
    // Two workers of the same shard write at the same time only when one of them is delayed.
    await withRetries(immediateRetryPolicy, contention, async () => {
      const existing = await readSum(key);
      const newAdditions = additions.filter(({ sequence }) => existing === null || sequence > existing.seq);
      const last = newAdditions.at(-1);
      if (last === undefined) return;
      const sum = addStatistics([
        existing?.statistics ?? noStatistics,
        ...newAdditions.map(({ statistics }) => statistics),
      ]);
      const expiry = Math.min(...newAdditions.map((each) => each.expiry), existing?.expiry ?? Number.POSITIVE_INFINITY);
      await put(key, name, sum, existing, { seq: last.sequence, e: packExpiry(expiry) });
    });
  };

  return {
    /**
     * Folds the changes of one stream shard into the sums, each exactly once, even if they are delivered repeatedly
     * or in other batches.
     *
     * @throws the error of the first sum that failed, after all others were processed.
     */
    fold: async (shard: string, changes: readonly ScoreChange[]): Promise<void> => {
      const sums = Map.groupBy(changes.flatMap(additionsOf), ({ target, project, hour, name }) =>
        JSON.stringify([target, project, hour, name]),
      );
      await mapConcurrently(sums.values(), parallelFolds, async ([first, ...following]) => {
        if (first !== undefined) await foldOne(shard, [first, ...following]);
      });
    },
  };
};

import { GetCommand, PutCommand, TransactWriteCommand } from "@aws-sdk/lib-dynamodb";
import * as v from "valibot";
import { sideBySide } from "../../async/side-by-side.ts";
import { hourOf, type Hour } from "../../domain/analytics/bucket.ts";
import {
  addStatistics,
  noStatistics,
  statisticsOf,
  type ScoreFact,
  type ScoreStatistics,
} from "../../domain/scores/statistics.ts";
import { attempts, contended } from "../attempts.ts";
import type { Database } from "../database.ts";
import * as patience from "../patience.ts";
import type { ScoreTarget } from "./keys.ts";
import { packExpiry, packStatistics, statisticsExpiry, unpackStatistics } from "./statistics-codec.ts";
import { statisticsPartition, statisticsSort } from "./statistics-keys.ts";

export interface NamedFact extends ScoreFact {
  readonly name: string;
  /** Epoch seconds; absent where it is kept. */
  readonly expiresAt?: number | undefined;
}

/** A score before and after a change, as a record of the scores' stream tells it; null where there was none. */
export interface ScoreChange {
  readonly project: string;
  readonly target: ScoreTarget;
  readonly before: NamedFact | null;
  readonly after: NamedFact | null;
  /** The session of a session's score. */
  readonly session: string | null;
  /** The record's sequence number, rising within its shard. */
  readonly sequence: bigint;
}

/** Sums of different names and hours that are folded side by side; within one the order of its changes is kept. */
const foldsAtOnce = 20;

/** Distinct values in one item, which stays far below 400 KB with them; more go into pages of their own. */
const maxValues = 4_000;

const head = v.object({
  seq: v.pipe(
    v.string(),
    v.transform((text) => BigInt(text)),
  ),
  pages: v.number(),
});

/** What a change adds to the sum of one name and hour. */
interface Addition {
  readonly target: ScoreTarget;
  readonly project: string;
  readonly hour: Hour;
  readonly name: string;
  readonly statistics: ScoreStatistics;
  /** Epoch seconds; infinite where the score is kept. */
  readonly expiry: number;
  readonly sequence: bigint;
}

const additionsOf = ({ target, project, before, after, sequence }: ScoreChange): readonly Addition[] => {
  const addition = (fact: NamedFact, sign: 1 | -1): Addition => {
    const { name, order, expiresAt: expiry = Number.POSITIVE_INFINITY } = fact;
    return { target, project, hour: hourOf(order), name, statistics: statisticsOf(fact, sign), expiry, sequence };
  };
  return [...(before === null ? [] : [addition(before, -1)]), ...(after === null ? [] : [addition(after, 1)])];
};

/**
 * Statistics of scores as partial sums, one for each name, hour of creation and stream shard, with the last sequence
 * number that went in: what is at or below it was counted before.
 */
export const scoreStatistics = ({ client, table }: Database, mostValues = maxValues) => {
  const TableName = table("aggregates");

  /** Stores a sum unless another folder came first; one that has grown too large leaves its values in a page. */
  const put = async (
    Key: { pk: string; sk: string },
    name: string,
    sum: ScoreStatistics,
    old: Held | null,
    { seq, e }: { readonly seq: bigint; readonly e: number | null | undefined },
  ) => {
    const [full, pages] = [sum.values.size > mostValues, old?.pages ?? 0];
    const Item = { ...Key, ...packStatistics(name, full ? noStatistics : sum), seq: String(seq), pages, e };
    const unmoved = {
      ConditionExpression: old === null ? "attribute_not_exists(pk)" : "seq = :seq",
      ...(old === null ? {} : { ExpressionAttributeValues: { ":seq": String(old.seq) } }),
    };
    if (!full) return await client.send(new PutCommand({ TableName, Item, ...unmoved }));
    const page = { pk: Key.pk, sk: `${Key.sk}#${pages}`, ...packStatistics(name, sum) };
    return await client.send(
      new TransactWriteCommand({
        TransactItems: [
          { Put: { TableName, Item: { ...Item, pages: pages + 1 }, ...unmoved } },
          { Put: { TableName, Item: page } },
        ],
      }),
    );
  };

  const read = async (Key: { pk: string; sk: string }) => {
    const { Item } = await client.send(new GetCommand({ TableName, Key, ConsistentRead: true }));
    return Item === undefined
      ? null
      : { ...v.parse(head, Item), ...unpackStatistics(Item), expiry: statisticsExpiry(Item) };
  };

  type Held = NonNullable<Awaited<ReturnType<typeof read>>>;

  const foldOne = async (shard: string, additions: readonly [Addition, ...Addition[]]): Promise<void> => {
    const [{ target, project, hour, name }] = additions;
    const Key = { pk: statisticsPartition(target, project), sk: statisticsSort(hour, name, shard) };
    const moved = contended("The statistics of some scores moved at every attempt to fold into them.");
    // Folders of the same shard meet only when one of them is late.
    await attempts(patience.brief, moved, async () => {
      const old = await read(Key);
      const fresh = additions.filter(({ sequence }) => old === null || sequence > old.seq);
      const last = fresh.at(-1);
      if (last === undefined) return;
      const sum = addStatistics([old?.statistics ?? noStatistics, ...fresh.map(({ statistics }) => statistics)]);
      const expiry = Math.min(...fresh.map((each) => each.expiry), old?.expiry ?? Number.POSITIVE_INFINITY);
      // Of what a previous version has folded it stays unknown.
      await put(Key, name, sum, old, { seq: last.sequence, e: expiry === 0 ? undefined : packExpiry(expiry) });
    });
  };

  return {
    /**
     * Folds changes of one stream shard, each exactly once however often and however cut they are delivered.
     *
     * @throws what the first sum threw that could not be folded, after all others were.
     */
    fold: async (shard: string, changes: readonly ScoreChange[]): Promise<void> => {
      const sums = Map.groupBy(changes.flatMap(additionsOf), ({ target, project, hour, name }) =>
        JSON.stringify([target, project, hour, name]),
      );
      await sideBySide(sums.values(), foldsAtOnce, async ([first, ...others]) => {
        if (first !== undefined) await foldOne(shard, [first, ...others]);
      });
    },
  };
};

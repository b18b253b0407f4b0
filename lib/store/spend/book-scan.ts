import { ScanCommand, UpdateCommand } from "@aws-sdk/lib-dynamodb";
import * as v from "valibot";
import { heldOf, shardCount, type Micros, type Takes } from "../../domain/runs/spend.ts";
import { batchGet } from "../batch-get.ts";
import type { Database } from "../database.ts";
import { ifConditionHolds } from "../failure.ts";
import { bookPrefix, expiryOf, movedAtOf, readBooks, runOfBook, shardKey, shardKeys } from "./items.ts";

const key = v.object({ pk: v.string(), sk: v.string() });
export type SpendKey = v.InferOutput<typeof key>;
export const spendKey = key;

const shardItem = v.object({ pk: v.string(), used: v.number(), closed: v.optional(v.number(), 0), ttl: v.number() });
const bookExpiry = v.object({ ttl: v.number() });

/** A slice's record as a scan came upon it. */
export interface ScannedBook {
  readonly project: string;
  readonly run: string;
  /** What it holds, by budget. */
  readonly takes: Readonly<Record<string, Takes>>;
  /** Whether it holds more of a budget than it knows to be spent. */
  readonly reserves: boolean;
  /** Epoch milliseconds. */
  readonly movedAt: number;
}

/** A page of the table of budgets. */
export interface BookPage {
  readonly books: readonly ScannedBook[];
  /** Budgets of which there are shards; a run's too. */
  readonly budgets: readonly string[];
  /** Keys of what could not be read. */
  readonly unreadable: readonly string[];
  /** Where the next page begins; null at the end. */
  readonly next: SpendKey | null;
}

const bookOf = (item: Record<string, unknown>): ScannedBook => {
  const [{ pk }, { spent, books }] = [v.parse(key, item), readBooks(item)];
  const all = Object.entries(books);
  return {
    ...runOfBook(pk),
    takes: Object.fromEntries(all.map(([budget, { takes }]) => [budget, takes])),
    reserves: all.some(([, { base, takes }]) => heldOf(takes) > Math.max(0, spent - base)),
    movedAt: movedAtOf(v.parse(bookExpiry, item).ttl),
  };
};

/** Reads one page of the table of budgets, strongly, 1 MB of it at most. */
export const scanBooks = async ({ client, table }: Database, from: SpendKey | null): Promise<BookPage> => {
  const { Items = [], LastEvaluatedKey } = await client.send(
    new ScanCommand({ TableName: table("spend"), ConsistentRead: true, ExclusiveStartKey: from ?? undefined }),
  );
  const [books, budgets, unreadable]: [ScannedBook[], string[], string[]] = [[], [], []];
  for (const item of Items) {
    const { pk, sk } = v.parse(key, item);
    try {
      if (sk.startsWith(bookPrefix)) books.push(bookOf(item));
      else if (sk === "shard") budgets.push(pk.slice(0, pk.lastIndexOf("#")));
    } catch (error) {
      if (!v.isValiError(error)) throw error;
      unreadable.push(`${pk} ${sk}`);
    }
  }
  return { books, budgets, unreadable, next: LastEvaluatedKey === undefined ? null : v.parse(key, LastEvaluatedKey) };
};

/** A shard of a budget. */
export interface Shard {
  readonly used: Micros;
  /** What is used of it that no book tells of any more. */
  readonly closed: Micros;
  /** When it expires, epoch seconds: another one after each move. */
  readonly expiry: number;
  /** Epoch milliseconds. */
  readonly movedAt: number;
}

/** The shards of a budget, strongly read; null where there is none. */
export const shardsOf = async (database: Database, budget: string): Promise<readonly (Shard | null)[]> => {
  const items = await batchGet(database, "spend", shardKeys(budget));
  const found = new Map(items.map((item) => v.parse(shardItem, item)).map((each) => [each.pk, each]));
  return Array.from({ length: shardCount }, (_, shard) => {
    const item = found.get(shardKey(budget, shard).pk);
    if (item === undefined) return null;
    const { used, closed, ttl } = item;
    return { used, closed, expiry: ttl, movedAt: movedAtOf(ttl) };
  });
};

/** Changes what is used of a shard, as long as it is as it was read. @returns whether it was. */
export const mendShard = async (
  { client, table }: Database,
  budget: string,
  shard: number,
  { used, expiry }: Shard,
  by: Micros,
  now: number,
): Promise<boolean> => {
  const reply = await ifConditionHolds(
    client.send(
      new UpdateCommand({
        TableName: table("spend"),
        Key: shardKey(budget, shard),
        UpdateExpression: "ADD used :by SET #ttl = :new",
        ConditionExpression: "used = :used AND #ttl = :ttl",
        ExpressionAttributeNames: { "#ttl": "ttl" },
        ExpressionAttributeValues: { ":by": by, ":used": used, ":ttl": expiry, ":new": expiryOf(now) },
      }),
    ),
  );
  return reply !== null;
};

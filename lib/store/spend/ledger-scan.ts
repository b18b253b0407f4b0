import * as v from "valibot";
import { reservedTotal, shardCount, type Micros, type ShardReservations } from "../../domain/runs/budget.ts";
import { batchGet } from "../../dynamo/batches.ts";
import type { Database } from "../../dynamo/database.ts";
import { ifConditionHolds } from "../../dynamo/failure.ts";
import { itemsOf } from "../../dynamo/items.ts";
import {
  ledgerEntryPrefix,
  expiryOf,
  lastChangeOf,
  parseLedgerEntry,
  runOfLedger,
  shardKey,
  shardKeys,
} from "./items.ts";

const key = v.object({ pk: v.string(), sk: v.string() });
/** Primary key of an item of the spend table. */
export type SpendKey = v.InferOutput<typeof key>;
/** Schema of the primary key of an item of the spend table. */
export const spendKey = key;

const shardItem = v.object({ pk: v.string(), used: v.number(), closed: v.optional(v.number(), 0), ttl: v.number() });
const entryExpiry = v.object({ ttl: v.number() });

/** A slice's ledger entry, as read by a table scan. */
export interface ScannedEntry {
  readonly project: string;
  readonly run: string;
  /** Micro-dollars spent or reserved, by budget name and shard. */
  readonly takes: Readonly<Record<string, ShardReservations>>;
  /** True if the slice holds more of a budget than it has recorded as spent. */
  readonly hasReservation: boolean;
  /** Time of the item's last change, epoch milliseconds. */
  readonly changedAt: number;
}

/** A page of the spend table, which stores budgets' shards and slices' ledger entries. */
export interface LedgerPage {
  readonly entries: readonly ScannedEntry[];
  /** Names of the budgets whose shards are on the page, runs' budgets included. */
  readonly budgets: readonly string[];
  /** Keys of the items that could not be parsed. */
  readonly unreadable: readonly string[];
  /** Key after which the next page starts; null on the last page. */
  readonly next: SpendKey | null;
}

const scannedEntryOf = (item: Record<string, unknown>): ScannedEntry => {
  const [{ pk }, { spent, books }] = [v.parse(key, item), parseLedgerEntry(item)];
  const holdings = Object.entries(books);
  return {
    ...runOfLedger(pk),
    takes: Object.fromEntries(holdings.map(([budget, { takes }]) => [budget, takes])),
    hasReservation: holdings.some(([, { base, takes }]) => reservedTotal(takes) > Math.max(0, spent - base)),
    changedAt: lastChangeOf(v.parse(entryExpiry, item).ttl),
  };
};

/** Reads one page (at most 1 MB) of the spend table with strong consistency. */
export const scanLedger = async (database: Database, from: SpendKey | null): Promise<LedgerPage> => {
  const { items, next } = await itemsOf(database, "spend").scan({ start: from ?? undefined });
  const [entries, budgets, unreadable]: [ScannedEntry[], string[], string[]] = [[], [], []];
  for (const item of items) {
    const { pk, sk } = v.parse(key, item);
    try {
      if (sk.startsWith(ledgerEntryPrefix)) entries.push(scannedEntryOf(item));
      else if (sk === "shard") budgets.push(pk.slice(0, pk.lastIndexOf("#")));
    } catch (error) {
      if (!v.isValiError(error)) throw error;
      unreadable.push(`${pk} ${sk}`);
    }
  }
  return { entries, budgets, unreadable, next: next === undefined ? null : v.parse(key, next) };
};

/** A shard of a budget. Amounts are micro-dollars. */
export interface Shard {
  readonly used: Micros;
  /** Part of `used` that belongs to no ledger entry any more: final costs of closed entries. */
  readonly closed: Micros;
  /** Expiry (TTL), epoch seconds; changes with each write of the shard. */
  readonly expiry: number;
  /** Time of the item's last change, epoch milliseconds. */
  readonly changedAt: number;
}

/** Reads all shards of a budget with strong consistency; null for a shard that does not exist. */
export const readShards = async (database: Database, budget: string): Promise<readonly (Shard | null)[]> => {
  const items = await batchGet(database, "spend", shardKeys(budget));
  const itemByKey = new Map(items.map((item) => v.parse(shardItem, item)).map((each) => [each.pk, each]));
  return Array.from({ length: shardCount }, (_, shard) => {
    const item = itemByKey.get(shardKey(budget, shard).pk);
    if (item === undefined) return null;
    const { used, closed, ttl } = item;
    return { used, closed, expiry: ttl, changedAt: lastChangeOf(ttl) };
  });
};

/**
 * Adds `correction` micro-dollars to a shard's `used` if the shard has not changed since it was read.
 *
 * @returns true if the correction was written.
 */
export const repairShard = async (
  database: Database,
  budget: string,
  shard: number,
  { used, expiry }: Shard,
  correction: Micros,
  now: number,
): Promise<boolean> => {
  const reply = await ifConditionHolds(
    itemsOf(database, "spend").update(shardKey(budget, shard), "ADD used :by SET #ttl = :new", {
      when: "used = :used AND #ttl = :ttl",
      values: { ":by": correction, ":used": used, ":ttl": expiry, ":new": expiryOf(now) },
    }),
  );
  return reply !== null;
};

import {
  applyPlan,
  reservedTotal,
  planRelease,
  planReservation,
  shardCount,
  shareOf,
  type Micros,
  type ShardReservations,
} from "../../domain/runs/budget.ts";
import type { Database } from "../../dynamo/database.ts";
import { ifConditionHolds, succeeds } from "../../dynamo/failure.ts";
import { isLive } from "../../dynamo/is-live.ts";
import { ifAbsent, itemsOf, type Write } from "../../dynamo/items.ts";
import {
  ledgerEntryKey,
  ledgerPartition,
  ledgerEntryPrefix,
  expiryOf,
  parseLedgerEntry,
  shardKey,
  type LedgerEntry,
} from "./items.ts";

/** A delivery of a slice to a worker. */
export interface SliceDelivery {
  readonly project: string;
  readonly run: string;
  readonly slice: string;
  /** Epoch of the slice's lease; increases with each worker that takes the slice. */
  readonly epoch: number;
}

/** Amount of a budget that a slice is to hold after a ledger write. */
export interface HoldingTarget {
  readonly amount: Micros;
  /** Base of the slice's holding in this budget. */
  readonly base: Micros;
  /** Ceiling of the budget; null when it is not enforced. */
  readonly limit: Micros | null;
  /** Micro-dollars used of each shard; empty when the ceiling is not enforced. */
  readonly used: readonly Micros[];
  /** False for a budget that the slice will not spend from again, such as a past month's. */
  readonly isOpen: boolean;
}

/**
 * Returns targets that leave a slice without reservations: in each budget the slice holds exactly the amount it has
 * spent there.
 */
export const spentTargets = (entry: LedgerEntry | null, spent: Micros): Map<string, HoldingTarget> =>
  new Map(
    Object.entries(entry?.books ?? {}).map(([budget, { base }]) => [
      budget,
      { amount: Math.max(0, spent - base), base, limit: null, used: [], isOpen: true },
    ]),
  );

/**
 * Returns a ledger entry in which the calls that were begun and not settled count as spent, because those of a dead worker may have been
 * billed: a lower base makes their part of the reservation a part of what the slice has spent.
 *
 * @param spent micro-dollars that the slice has cost according to its commits.
 */
export const forfeitReservations = (entry: LedgerEntry, spent: Micros): LedgerEntry => {
  const forfeits = [0];
  const books: Record<string, LedgerEntry["books"][string]> = {};
  for (const [budget, holding] of Object.entries(entry.books)) {
    const unsettled = Math.max(0, reservedTotal(holding.takes) - (spent - holding.base));
    const forfeit = Math.min(unsettled, entry.begun ?? unsettled);
    forfeits.push(forfeit);
    books[budget] = { ...holding, base: holding.base - forfeit };
  }
  // A slice reserves the same amount in all its budgets, unless a ceiling was added or a month began meanwhile.
  return { ...entry, books, forfeit: entry.forfeit + Math.max(...forfeits) + (entry.calls ?? 0), calls: undefined };
};

/**
 * The spending ledger: the money that each slice has spent or reserved in each budget, and the transactions that change
 * it.
 */
export const spendLedger = (database: Database, now: () => number, random: () => number) => {
  const items = itemsOf(database, "spend");

  const readEntry = async ({ project, run, slice }: SliceDelivery): Promise<LedgerEntry | null> => {
    const item = await items.get(ledgerEntryKey(project, run, slice));
    return item === undefined || !isLive(item, now()) ? null : parseLedgerEntry(item);
  };

  /** Reads the ledger entries of all slices of a run, by slice id. */
  const entriesOfRun = async (project: string, run: string): Promise<ReadonlyMap<string, LedgerEntry>> => {
    const entryBySlice = new Map<string, LedgerEntry>();
    for await (const item of items.query({ pk: ledgerPartition(project, run), prefix: ledgerEntryPrefix }))
      if (isLive(item, now()))
        entryBySlice.set(String(item["sk"]).slice(ledgerEntryPrefix.length), parseLedgerEntry(item));
    return entryBySlice;
  };

  /**
   * Returns a write that changes one shard of a budget.
   *
   * @param closed micro-dollars to add to `closed`, the part of `used` that belongs to no ledger entry any more.
   * @param reserved micro-dollars to add to `reserved`, the part of `used` that is not spent yet.
   */
  const shardUpdate = (
    budget: string,
    shard: number,
    {
      amount,
      limit,
      closed,
      reserved,
    }: Record<"amount" | "closed" | "reserved", Micros> & { readonly limit: Micros | null },
  ): Write => {
    const most = limit !== null && amount > 0 ? shareOf(limit, shard) - amount : null;
    return {
      update: shardKey(budget, shard),
      change: `ADD used :amount${closed === 0 ? "" : ", closed :closed"}${reserved === 0 ? "" : ", reserved :reserved"} SET #ttl = :ttl`,
      when: most === null ? undefined : "attribute_not_exists(used) OR used <= :most",
      values: { ":amount": amount, ":ttl": expiryOf(now()), ":closed": closed, ":reserved": reserved, ":most": most },
    };
  };

  const planOf = (
    { amount, limit, used }: HoldingTarget,
    takes: ShardReservations,
  ): ReadonlyMap<number, Micros> | null => {
    const change = amount - reservedTotal(takes);
    if (change === 0) return new Map();
    if (change < 0) return planRelease(-change, takes);
    const preferred = Math.floor(random() * shardCount);
    return limit === null ? new Map([[preferred, change]]) : planReservation(change, limit, used, preferred);
  };

  /**
   * Changes a slice's holdings to the targets and updates its ledger entry, in one transaction.
   *
   * @param forfeit the slice's forfeited micro-dollars after the change.
   * @param writes further writes of the transaction.
   * @param begun what calls that are not committed cost at most; absent for none.
   * @returns false when another writer was faster or a budget has no room any more: the caller reads again and
   *   retries.
   */
  const applyTargets = async (
    delivery: SliceDelivery,
    before: LedgerEntry | null,
    spent: Micros,
    targets: ReadonlyMap<string, HoldingTarget>,
    forfeit: Micros = before?.forfeit ?? 0,
    writes: readonly Write[] = [],
    begun?: Micros,
  ): Promise<boolean> => {
    const holdings: Record<string, LedgerEntry["books"][string]> = { ...before?.books };
    const updates: Write[] = [];
    for (const [budget, target] of targets) {
      const { takes = {}, reserved: countedReserved = 0 } = holdings[budget] ?? {};
      const plan = planOf(target, takes);
      if (plan === null) return false;
      const reserved = target.amount - Math.max(0, spent - target.base);
      const after = applyPlan(takes, plan);
      // At any time, a shard's `used` is its `closed` plus the amounts of all ledger entries.
      const closed = new Map(
        target.isOpen ? [] : Object.entries(after).map(([shard, amount]) => [Number(shard), amount]),
      );
      const changedShards = new Set([...plan.keys(), ...closed.keys()]);
      if (changedShards.size === 0 && reserved !== countedReserved)
        changedShards.add(Number(Object.keys(takes)[0] ?? 0));
      for (const [nth, shard] of [...changedShards].entries())
        updates.push(
          shardUpdate(budget, shard, {
            amount: plan.get(shard) ?? 0,
            limit: target.limit,
            closed: closed.get(shard) ?? 0,
            // Only the sum of `reserved` over all shards has a meaning, so any one shard can count it.
            reserved: nth === 0 ? reserved - countedReserved : 0,
          }),
        );
      if (target.isOpen) holdings[budget] = { base: target.base, takes: after, ...(reserved > 0 && { reserved }) };
      else delete holdings[budget];
    }
    const { project, run, slice, epoch } = delivery;
    const isUnchanged =
      before?.epoch === epoch && before.spent === spent && before.forfeit === forfeit && before.begun === begun;
    if (updates.length === 0 && isUnchanged && writes.length === 0) return true;
    const after: LedgerEntry = { epoch, version: (before?.version ?? 0) + 1, spent, forfeit, begun, books: holdings };
    const record = {
      put: { ...ledgerEntryKey(project, run, slice), ...after, ttl: expiryOf(now()) },
      when: before === null ? ifAbsent : "version = :before",
      values: { ":before": before?.version },
    };
    return await succeeds(items.transact([record, ...updates, ...writes]));
  };

  /**
   * Stores what a worker's calls cost at most that may be under way, in one write that reads nothing.
   *
   * @returns false when a later worker has the slice.
   */
  const recordCalls = async (
    { project, run, slice, epoch }: SliceDelivery,
    spent: Micros,
    calls: Micros,
  ): Promise<boolean> =>
    (await ifConditionHolds(
      items.update(
        ledgerEntryKey(project, run, slice),
        "SET epoch = :epoch, spent = :spent, calls = :calls, #ttl = :ttl, forfeit = if_not_exists(forfeit, :none), " +
          "books = if_not_exists(books, :empty) ADD version :one",
        {
          when: "attribute_not_exists(epoch) OR epoch <= :epoch",
          values: {
            ":epoch": epoch,
            ":spent": spent,
            ":calls": calls,
            ":ttl": expiryOf(now()),
            ":none": 0,
            ":empty": {},
            ":one": 1,
          },
        },
      ),
    )) !== null;

  /**
   * Stores `begun` of a reservation in one write that reads nothing. A repeated write changes nothing.
   *
   * @param before the stored value.
   * @returns false when the reservation has ended or a later worker has the slice.
   */
  const noteCalls = async (
    { project, run, slice, epoch }: SliceDelivery,
    begun: Micros,
    before: Micros,
  ): Promise<boolean> =>
    (await ifConditionHolds(
      items.update(ledgerEntryKey(project, run, slice), "SET begun = :begun ADD version :one", {
        when: "epoch = :epoch AND begun IN (:before, :begun)",
        values: { ":epoch": epoch, ":begun": begun, ":before": before, ":one": 1 },
      }),
    )) !== null;

  return { readEntry, entriesOfRun, applyTargets, recordCalls, noteCalls };
};

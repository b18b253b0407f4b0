import * as v from "valibot";
import type { Micros } from "../../domain/runs/budget.ts";
import { withRetries, throwContention } from "../../dynamo/with-retries.ts";
import type { Database } from "../../dynamo/database.ts";
import { cannotEraseYet, type Erase } from "../../dynamo/erase-items.ts";
import { failedConditions } from "../../dynamo/failure.ts";
import { itemsOf } from "../../dynamo/items.ts";
import { workerRetryPolicy } from "../../dynamo/retry-policies.ts";
import { ledgerPartition, ledgerEntryPrefix, expiryOf, parseLedgerEntry, shardKey, type LedgerEntry } from "./items.ts";

/** DynamoDB's limit of actions in one transaction. */
const maxActions = 100;

const keys = v.object({ pk: v.string(), sk: v.string() });

/** A slice's ledger entry with its primary key. */
interface StoredEntry {
  readonly key: v.InferOutput<typeof keys>;
  readonly record: LedgerEntry;
}

/**
 * Sums of the given ledger entries by shard key (`pk`): the amount spent or reserved, and the part counted as
 * reserved. Budgets of the project itself are left out, since they are erased with it.
 */
const holdingsByShard = (
  project: string,
  entries: readonly StoredEntry[],
): ReadonlyMap<string, { readonly amount: Micros; readonly reserved: Micros }> => {
  const sumsByShard = new Map<string, { readonly amount: Micros; readonly reserved: Micros }>();
  for (const { record } of entries) {
    for (const [budget, { takes, reserved = 0 }] of Object.entries(record.books)) {
      if (budget.startsWith(`${project}#`)) continue;
      for (const [nth, [shard, amount]] of Object.entries(takes).entries()) {
        const { pk } = shardKey(budget, Number(shard));
        const before = sumsByShard.get(pk) ?? { amount: 0, reserved: 0 };
        sumsByShard.set(pk, { amount: before.amount + amount, reserved: before.reserved + (nth === 0 ? reserved : 0) });
      }
    }
  }
  return sumsByShard;
};

/** Splits ledger entries into groups whose deletions and shard updates fit into one transaction. */
const groupsOf = function* (project: string, entries: readonly StoredEntry[]): Generator<readonly StoredEntry[]> {
  let group: StoredEntry[] = [];
  for (const entry of entries) {
    const larger = [...group, entry];
    if (group.length > 0 && larger.length + holdingsByShard(project, larger).size > maxActions) {
      yield group;
      group = [entry];
    } else group = larger;
  }
  if (group.length > 0) yield group;
};

/**
 * Deletes the ledger entries of a run that is being erased and that no worker changes any more. The same transaction
 * adds their amounts to `closed` of the shards of budgets that outlive the project.
 */
export const closeLedger = (database: Database, now: () => number = Date.now) => {
  const spend = itemsOf(database, "spend");

  const close = async (project: string, group: readonly StoredEntry[]): Promise<boolean> => {
    const removals = group.map(({ key, record }) => ({
      remove: key,
      when: "version = :version",
      values: { ":version": record.version },
    }));
    const shards = [...holdingsByShard(project, group)].map(([pk, { amount, reserved }]) => ({
      update: { pk, sk: "shard" },
      change: `ADD closed :amount${reserved === 0 ? "" : ", reserved :unreserved"} SET #ttl = :ttl`,
      values: { ":amount": amount, ":unreserved": -reserved, ":ttl": expiryOf(now()) },
    }));
    const contention = throwContention("The judging budgets changed during every attempt to close ledger entries.");
    const refusals = await withRetries(workerRetryPolicy, contention, () =>
      failedConditions(spend.transact([...removals, ...shards])),
    );
    return refusals.size === 0;
  };

  return async function* (project: string, run: string): ReturnType<Erase> {
    const query = { pk: ledgerPartition(project, run), prefix: ledgerEntryPrefix, limit: maxActions };
    for await (const { items } of spend.pages(query)) {
      const entries = items.map((item): StoredEntry => ({ key: v.parse(keys, item), record: parseLedgerEntry(item) }));
      // An entry that changed meanwhile is closed by the next pass.
      for (const group of groupsOf(project, entries))
        yield (await close(project, group)) ? group.length : cannotEraseYet;
    }
  };
};

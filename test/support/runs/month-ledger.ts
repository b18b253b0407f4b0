import { paginateScan } from "@aws-sdk/lib-dynamodb";
import type { Micros } from "../../../lib/domain/runs/budget.ts";
import type { Database } from "../../../lib/dynamo/database.ts";

/** Comparison of the deployment's month shards with the ledger entries. */
export interface MonthLedger {
  readonly used: Micros;
  readonly booked: Micros;
  /** Part of the ledger entries' amount that is held by existing slices. */
  readonly open: Micros;
  /** Names of shards that differ from the sum of their ledger entries. */
  readonly wrong: readonly string[];
}

interface SpendItem {
  readonly pk: string;
  readonly used?: number;
  readonly closed?: number;
  readonly books?: Readonly<Record<string, { readonly takes: Readonly<Record<string, number>> }>>;
}

/** Sums all ledger entries of a budget by shard, read directly from the table. */
export const monthLedger = async ({ client, table }: Database, budget: string): Promise<MonthLedger> => {
  const [used, booked] = [new Map<string, number>(), new Map<string, number>()];
  const add = (to: Map<string, number>, shard: string, amount: number): void =>
    void to.set(shard, (to.get(shard) ?? 0) + amount);
  let open = 0;
  for await (const { Items = [] } of paginateScan({ client }, { TableName: table("spend"), ConsistentRead: true })) {
    for (const item of Items as unknown as readonly SpendItem[]) {
      if (item.pk.startsWith(`${budget}#`)) {
        const shard = item.pk.slice(budget.length + 1);
        add(used, shard, item.used ?? 0);
        add(booked, shard, item.closed ?? 0);
      }
      for (const [shard, amount] of Object.entries(item.books?.[budget]?.takes ?? {})) {
        add(booked, shard, amount);
        open += amount;
      }
    }
  }
  const total = (amounts: ReadonlyMap<string, number>): number =>
    [...amounts.values()].reduce((sum, each) => sum + each, 0);
  const shards = new Set([...used.keys(), ...booked.keys()]);
  const wrong = [...shards].filter((shard) => (used.get(shard) ?? 0) !== (booked.get(shard) ?? 0));
  return { used: total(used), booked: total(booked), open, wrong };
};

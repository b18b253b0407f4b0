import { paginateScan } from "@aws-sdk/lib-dynamodb";
import type { Micros } from "../../../lib/domain/runs/spend.ts";
import type { Database } from "../../../lib/store/database.ts";

/** What a month's shards of the deployment say, and what is in its books. */
export interface MonthBooks {
  readonly used: Micros;
  readonly booked: Micros;
  /** Of those books, what slices hold that are there. */
  readonly open: Micros;
  /** Shards in which the two are not the same. */
  readonly wrong: readonly string[];
}

interface SpendItem {
  readonly pk: string;
  readonly used?: number;
  readonly closed?: number;
  readonly books?: Readonly<Record<string, { readonly takes: Readonly<Record<string, number>> }>>;
}

/** Adds up all books of a budget, shard by shard, as an auditor would: from the table alone. */
export const monthBooks = async ({ client, table }: Database, budget: string): Promise<MonthBooks> => {
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
  const total = (of: ReadonlyMap<string, number>): number => [...of.values()].reduce((sum, each) => sum + each, 0);
  const shards = new Set([...used.keys(), ...booked.keys()]);
  const wrong = [...shards].filter((shard) => (used.get(shard) ?? 0) !== (booked.get(shard) ?? 0));
  return { used: total(used), booked: total(booked), open, wrong };
};

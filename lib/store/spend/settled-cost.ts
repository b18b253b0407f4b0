import { shardCount, type Micros } from "../../domain/runs/budget.ts";
import { throwContention, withRetries } from "../../dynamo/with-retries.ts";
import type { Database } from "../../dynamo/database.ts";
import { itemsOf, type Write } from "../../dynamo/items.ts";
import { workerRetryPolicy } from "../../dynamo/retry-policies.ts";
import { budgetName, expiryOf, shardKey, type BudgetOwner } from "./items.ts";

const owners = ["project", "organization"] as const;

/**
 * Returns writes that add a cost to the month's totals of a project and its organization, with or without ceilings: the attribute
 * `settled` of one shard of their budgets. They change nothing that ceilings count.
 */
export const settledCostWrites = (owner: BudgetOwner, amount: Micros, at: number): readonly Write[] =>
  owners
    .filter((kind) => amount > 0 && owner[kind])
    .map((kind) => ({
      table: "spend",
      update: shardKey(budgetName(kind, owner, at), Math.floor(Math.random() * shardCount)),
      change: "SET #ttl = if_not_exists(#ttl, :ttl) ADD used :none, settled :amount",
      values: { ":ttl": expiryOf(at), ":none": 0, ":amount": amount },
    }));

/** Adds the cost of judge calls that belong to no run to the month's totals. */
export type AddSettledCost = (owner: BudgetOwner, amount: Micros) => Promise<void>;

export const settledCost =
  (database: Database, now: () => number = Date.now): AddSettledCost =>
  async (owner, amount) => {
    const contention = throwContention("The month's totals changed during every attempt to add to them.");
    await withRetries(workerRetryPolicy, contention, async () => {
      const writes = settledCostWrites(owner, amount, now());
      // The request's token makes a repeat by the SDK harmless.
      if (writes.length > 0) await itemsOf(database, "spend").transact(writes);
    });
  };

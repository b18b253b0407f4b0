import type { SpendingDependencies } from "../../../lib/evaluation/slices/slice-budget.ts";
import type { Database } from "../../../lib/dynamo/database.ts";
import { spendStore } from "../../../lib/store/spend/spend.ts";

/** Spending dependencies without ceilings: nothing has a price, and nothing is reserved. */
export const withoutCeilings = (database: Database, now: () => number): SpendingDependencies => ({
  spend: spendStore(database, now),
  priceOf: () => null,
  ceilings: { project: null, organization: null, deployment: null },
  organizationOf: async () => null,
});

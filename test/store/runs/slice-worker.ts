import { sliceEvaluation } from "../../../lib/evaluation/slices/evaluate-slice.ts";
import type { RunInTurn } from "../../../lib/evaluation/slices/fair-share-turns.ts";
import type { Judge } from "../../../lib/judge/judge.ts";
import type { Price } from "../../../lib/prices/price.ts";
import { runStore } from "../../../lib/store/runs/runs.ts";
import { sliceStore } from "../../../lib/store/runs/slices.ts";
import { spendStore } from "../../../lib/store/spend/spend.ts";
import type { TestDatabase } from "../../support/database/database.ts";
import { withoutFairShare } from "../../support/runs/without-fair-share.ts";
import { settling } from "./run-fixture.ts";
import { targetsOf } from "./targets-fixture.ts";

/** The evaluation of slices by a judge, on a database at the time of a clock. */
export const sliceWorker = (
  database: TestDatabase,
  judge: Judge,
  now: () => number,
  {
    calls = 1,
    priceOf = () => null,
    projectCeiling = null,
    runInTurn = withoutFairShare,
  }: {
    readonly calls?: number;
    readonly priceOf?: (model: string) => Price | null;
    readonly projectCeiling?: number | null;
    readonly runInTurn?: RunInTurn;
  } = {},
) =>
  sliceEvaluation({
    runs: runStore(database, now),
    slices: sliceStore(database, now),
    settlement: settling(database, now),
    runInTurn,
    targets: targetsOf(database, judge, now),
    judge,
    spending: {
      spend: spendStore(database, now),
      priceOf,
      ceilings: { project: projectCeiling, organization: null, deployment: null },
      organizationOf: async () => null,
    },
    calls,
    now,
  });

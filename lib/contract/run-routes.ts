import * as v from "valibot";
import { runStatuses } from "../domain/run.ts";
import { evalRun } from "./eval-run.ts";
import { oneOf, once, page, paging, uuid } from "./fields.ts";
import { flag } from "./list-query.ts";
import { runTarget } from "./run-targets.ts";

/** What the routes of trace runs and those of session runs have in common. */
export const runParams = v.object({ run_id: uuid });

export const runsQuery = v.object({ ...paging, status: v.optional(once(oneOf(runStatuses))) });

export const runsPage = page(evalRun);

/** The scores are a bare array; a page when `limit` or `offset` is given. */
export const scoresQuery = v.object({
  limit: v.optional(paging.limit.wrapped),
  offset: v.optional(paging.offset.wrapped),
});

export const deletionQuery = v.object({
  delete_scores: v.optional(v.pipe(flag, v.description("Whether the run's scores go, too; by default they stay.")), [
    "false",
  ]),
});

export const targetsQuery = v.object(paging);

export const targetsPage = page(runTarget);

/** What creating a run does on which table. */
export const creationGrants = {
  rows: ["GetItem", "Query"],
  /** Documents, for an estimate. */
  bodies: ["Query"],
  runs: ["GetItem", "PutItem", "BatchWriteItem", "UpdateItem"],
} as const;

export const deletionGrants = { runs: ["GetItem", "Query", "UpdateItem"] } as const;

export const retryGrants = { runs: ["GetItem", "Query", "PutItem", "BatchWriteItem", "UpdateItem"] } as const;

export const targetsGrants = { runs: ["GetItem", "Query"], scores: ["BatchGetItem"] } as const;

export const deletionDescription =
  "From then on nothing finds the run and nothing of it is written. What it has left is removed in the background; " +
  "scores that stay keep its id.";

export const retryDescription =
  "A new run of exactly the pairs of a target and a metric that failed, missing targets included. The first run and its " +
  "scores stay as they are.";

export const stillRunning = "The run has not ended.";

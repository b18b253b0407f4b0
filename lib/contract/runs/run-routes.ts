import * as v from "valibot";
import { runStatuses } from "../../domain/runs/run.ts";
import { evalRun } from "./run.ts";
import { oneOf, singleValue, page, paging, optionalPaging, uuid } from "../schema/fields.ts";
import { booleanParameter } from "../list-query.ts";
import { creationQuery, runEstimate } from "./estimate.ts";
import { runTarget } from "./targets.ts";

const params = v.object({ run_id: uuid });

const runsQuery = v.object({ ...paging, status: v.optional(singleValue(oneOf(runStatuses))) });

/** Query of lists of a run's scores, which reply with a plain array unless a paging parameter is present. */
const scoresQuery = v.object(optionalPaging);

const deletionQuery = v.object({
  delete_scores: v.optional(
    v.pipe(booleanParameter, v.description("True to delete the scores of the run too; by default they are kept.")),
    ["false"],
  ),
});

/** Common part of the routes that create a run of traces or sessions, from filters or from a list of ids. */
export const runCreation = {
  method: "POST",
  idempotency: "derived-id",
  access: "project",
  permission: "write",
  query: creationQuery,
  success: 202,
  reply: evalRun,
  dryRun: runEstimate,
  limitPerMinute: 50,
  grants: {
    rows: ["GetItem", "Query"],
    /** Reads trace documents for the estimate of prompt tokens. */
    bodies: ["Query"],
    runs: ["GetItem", "PutItem", "BatchWriteItem", "UpdateItem"],
    /** Reads the usage of recent judgements for estimates. */
    scores: ["Query", "BatchGetItem"],
    /** Reads custom metrics. */
    monitors: ["GetItem", "BatchGetItem", "Query"],
    aggregates: ["Query", "BatchGetItem"],
  },
  memory: 1024,
} as const;

/** Common part of the routes that list runs of traces and of sessions. */
export const runList = {
  method: "GET",
  description:
    "Returns runs, newest first. `total` may lag by seconds and is exact on the last page. A status filter or an offset that would " +
    "read too many runs is refused.",
  access: "project",
  permission: "read",
  query: runsQuery,
  success: 200,
  reply: page(evalRun),
  grants: { runs: ["Query"], aggregates: ["Query"] },
} as const;

/** Common part of the routes that return a run of traces or sessions. */
export const runDetail = {
  method: "GET",
  description: "Returns the run with its current counters.",
  access: "project",
  permission: "read",
  params,
  success: 200,
  reply: evalRun,
  grants: { runs: ["GetItem", "Query"] },
} as const;

/** Common part of the routes that delete a run of traces or sessions. */
export const runDeletion = {
  method: "DELETE",
  description:
    "The run stops and disappears at once; its data is removed in the background. Scores are kept, with the id of the run, unless " +
    "`delete_scores` is true.",
  auditsDeletions: true,
  access: "project",
  permission: "write",
  params,
  query: deletionQuery,
  success: 204,
  reply: v.void(),
  grants: { runs: ["GetItem", "Query", "UpdateItem"] },
} as const;

/** Common part of the routes that retry a run of traces or sessions. */
export const runRetry = {
  method: "POST",
  idempotency: "derived-id",
  description:
    "Creates a new run of the failed pairs of target and metric, missing targets included, except pairs whose score was edited or " +
    "deleted since. The first run and its scores do not change.",
  access: "project",
  permission: "write",
  params,
  success: 202,
  reply: evalRun,
  conflict: "The run has not ended.",
  limitPerMinute: 50,
  grants: { runs: ["GetItem", "Query", "PutItem", "BatchWriteItem", "UpdateItem"], scores: ["BatchGetItem"] },
  memory: 1024,
} as const;

/** Common part of the routes that list the targets of a run. */
export const runTargetList = {
  method: "GET",
  description: "Returns the targets of the run with their progress, in the order in which they were selected.",
  access: "project",
  permission: "read",
  params,
  query: v.object(paging),
  success: 200,
  reply: page(runTarget),
  grants: { runs: ["GetItem", "Query"], rows: ["Query", "BatchGetItem"], scores: ["BatchGetItem"] },
} as const;

/** Common part of the routes that list the scores of a run. */
export const runScoreList = {
  method: "GET",
  access: "project",
  permission: "read",
  params,
  query: scoresQuery,
  success: 200,
  grants: { runs: ["GetItem", "Query"], rows: ["Query", "BatchGetItem"], scores: ["Query", "BatchGetItem"] },
  streams: true,
  memory: 1024,
} as const;

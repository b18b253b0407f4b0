import * as v from "valibot";
import { runStatuses } from "../../domain/runs/run.ts";
import { evalRun } from "./run.ts";
import { oneOf, once, page, paging, pagingIfAsked, uuid } from "../fields.ts";
import { flag } from "../list-query.ts";
import { creationQuery, runEstimate } from "./estimate.ts";
import { runTarget } from "./targets.ts";

const params = v.object({ run_id: uuid });

const runsQuery = v.object({ ...paging, status: v.optional(once(oneOf(runStatuses))) });

/** The scores are a bare array; a page when one is asked for. */
const scoresQuery = v.object(pagingIfAsked);

const deletionQuery = v.object({
  delete_scores: v.optional(v.pipe(flag, v.description("Whether the run's scores go, too; by default they stay.")), [
    "false",
  ]),
});

/** What the routes that create a run are, whatever its targets are and however they are given. */
export const runCreation = {
  method: "POST",
  repeats: "made",
  access: "project",
  permission: "write",
  query: creationQuery,
  success: 202,
  reply: evalRun,
  dryRun: runEstimate,
  limitPerMinute: 50,
  grants: {
    rows: ["GetItem", "Query"],
    /** Documents, for an estimate. */
    bodies: ["Query"],
    runs: ["GetItem", "PutItem", "BatchWriteItem", "UpdateItem"],
    /** What judging took lately, for an estimate. */
    scores: ["Query", "BatchGetItem"],
    /** Metrics of the project's own. */
    monitors: ["GetItem", "BatchGetItem", "Query"],
    aggregates: ["Query", "BatchGetItem"],
  },
  memory: 1024,
} as const;

/** What a list of runs is, whatever their targets are; likewise those below. */
export const runList = {
  method: "GET",
  description:
    "The total may lag by seconds; a page that ends the list tells it exactly. A status or an offset for which too many runs " +
    "would have to be read is refused.",
  access: "project",
  permission: "read",
  query: runsQuery,
  success: 200,
  reply: page(evalRun),
  grants: { runs: ["Query"], aggregates: ["Query"] },
} as const;

export const runDetail = {
  method: "GET",
  access: "project",
  permission: "read",
  params,
  success: 200,
  reply: evalRun,
  grants: { runs: ["GetItem", "Query"] },
} as const;

export const runDeletion = {
  method: "DELETE",
  description:
    "From then on nothing finds the run and nothing of it is written. What it has left is removed in the background; " +
    "scores that stay keep its id.",
  notesDeletions: true,
  access: "project",
  permission: "write",
  params,
  query: deletionQuery,
  success: 204,
  reply: v.void(),
  grants: { runs: ["GetItem", "Query", "UpdateItem"] },
} as const;

export const runRetry = {
  method: "POST",
  repeats: "made",
  description:
    "A new run of exactly the pairs of a target and a metric that failed, missing targets included, less those whose score " +
    "somebody has edited or deleted since. The first run and its scores stay as they are.",
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

export const runTargetList = {
  method: "GET",
  access: "project",
  permission: "read",
  params,
  query: v.object(paging),
  success: 200,
  reply: page(runTarget),
  grants: { runs: ["GetItem", "Query"], rows: ["Query", "BatchGetItem"], scores: ["BatchGetItem"] },
} as const;

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

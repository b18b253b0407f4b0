import * as v from "valibot";
import { runStatuses } from "../../domain/runs/run.ts";
import { evalRun } from "./run.ts";
import { oneOf, singleValue, page, paging, optionalPaging, uuid } from "../schema/fields.ts";
import { creationRange } from "../scores/filters.ts";
import { booleanParameter } from "../list-query.ts";
import { route, targetNames, type TargetWord } from "../route.ts";
import { creationQuery, runEstimate } from "./estimate.ts";
import { runTarget } from "./targets.ts";

const params = v.object({ run_id: uuid });

const runsQuery = v.object({ ...paging, status: v.optional(singleValue(oneOf(runStatuses))), ...creationRange });

/** Query of lists of a run's scores, which reply with a plain array unless a paging parameter is present. */
const scoresQuery = v.object(optionalPaging);

const deletionQuery = v.object({
  delete_scores: v.optional(
    v.pipe(booleanParameter, v.description("True to delete the scores of the run too; by default they are kept.")),
    ["false"],
  ),
});

/** Common part of the routes that create a run of traces or sessions, from filters, a list of ids, or an experiment. */
export const runCreationRoute = {
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
    /** Reads trace documents for the estimate of prompt tokens, and for the filter `q`. */
    bodies: ["BatchGetItem", "Query"],
    runs: ["GetItem", "PutItem", "BatchWriteItem", "UpdateItem"],
    /** Reads the usage of recent judgements for estimates. */
    scores: ["Query", "BatchGetItem"],
    /** Reads custom metrics. */
    monitors: ["GetItem", "BatchGetItem", "Query"],
    aggregates: ["GetItem", "BatchGetItem", "Query"],
  },
  /** Under a ceiling a judge that is configured has to have a price. */
  readsJudgeServers: true,
  memory: 1024,
} as const;

/** The exception to the refusal of runs by filters over more traces than rows may be read. */
const largeRanges = {
  trace: ", unless at most 5,000 match and closed UTC days can be read as by `GET /traces`",
  session: "",
} as const;

/** Schemas and texts that differ between the runs of traces and those of sessions. */
interface RunDefinitions<Filtered, Batch, Score> {
  /** Body of the request that creates a run of the targets that match filters. */
  readonly filteredRun: Filtered;
  /** Body of the request that creates a run of listed targets. */
  readonly batchRun: Batch;
  readonly batchDescription: string;
  readonly score: Score;
  readonly scoresDescription: string;
}

/** Defines the routes of runs of traces or of sessions. */
export const runRoutes = <
  Word extends TargetWord,
  Filtered extends v.GenericSchema,
  Batch extends v.GenericSchema,
  Score extends v.GenericSchema,
>(
  target: Word,
  { filteredRun, batchRun, batchDescription, score, scoresDescription }: RunDefinitions<Filtered, Batch, Score>,
) => {
  const name = targetNames[target];
  const path = `/evaluations/${target}-runs` as const;
  const runPath = `${path}/{run_id}` as const;
  return {
    createRun: route({
      ...runCreationRoute,
      id: `create${name}Run`,
      path,
      handler: `api/runs/create-${target}-run`,
      summary: `Evaluate ${target}s by filters`,
      description:
        "Selects the targets now and evaluates them in the background. The reply always has the status PENDING, and its `total_traces` is " +
        "final. Filters without matches create a run without targets, which completes at once. Dates with more than 2,000,000 traces are " +
        `refused${largeRanges[target]}.`,
      body: filteredRun,
      // Runs of sessions and by id have it, too, so that all have one role: an account has room for 1,000.
      searchesLake: true,
      warns: true,
    }),
    createBatchRun: route({
      ...runCreationRoute,
      id: `create${name}BatchRun`,
      path: `${path}/batch`,
      handler: `api/runs/create-${target}-batch-run`,
      summary: `Evaluate ${target}s by id`,
      description: batchDescription,
      body: batchRun,
      searchesLake: true,
      /** Each of the 100,000 targets may be looked up. */
      budget: { lookups: 250_000 },
    }),
    listRuns: route({
      id: `list${name}Runs`,
      method: "GET",
      path,
      handler: `api/runs/list-${target}-runs`,
      summary: `List ${target} runs`,
      description:
        "Returns runs, newest first. `total` may lag by seconds and is exact on the last page. Dates or a status that would read too " +
        "many runs are refused, and so is an offset above 50,000: use `cursor`.",
      access: "project",
      permission: "read",
      query: runsQuery,
      success: 200,
      reply: page(evalRun),
      // Those of a monitor's runs, so that both have one role: an account has room for 1,000.
      grants: { monitors: ["GetItem"], runs: ["Query", "BatchGetItem"], aggregates: ["Query"] },
    }),
    getRun: route({
      id: `get${name}Run`,
      method: "GET",
      path: runPath,
      handler: `api/runs/get-${target}-run`,
      summary: `Get a ${target} run`,
      description: "Returns the run with its current counters.",
      access: "project",
      permission: "read",
      params,
      success: 200,
      reply: evalRun,
      grants: { runs: ["GetItem", "Query"] },
    }),
    deleteRun: route({
      id: `delete${name}Run`,
      method: "DELETE",
      path: runPath,
      handler: `api/runs/delete-${target}-run`,
      summary: `Delete a ${target} run`,
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
    }),
    retryRun: route({
      id: `retry${name}Run`,
      method: "POST",
      idempotency: "derived-id",
      path: `${runPath}/retry`,
      handler: `api/runs/retry-${target}-run`,
      summary: `Retry a ${target} run`,
      description:
        "Creates a new run of the failed pairs of target and metric, missing targets included, except pairs whose score was edited or " +
        "deleted since. The first run and its scores do not change.",
      access: "project",
      permission: "write",
      params,
      refusesBody: true,
      success: 202,
      reply: evalRun,
      conflict: "The run has not ended.",
      limitPerMinute: 50,
      grants: {
        runs: ["GetItem", "Query", "PutItem", "BatchWriteItem", "UpdateItem"],
        scores: ["BatchGetItem"],
        /** Reads custom metrics. */
        monitors: ["GetItem"],
      },
      readsJudgeServers: true,
      memory: 1024,
    }),
    listTargets: route({
      id: `list${name}RunTargets`,
      method: "GET",
      path: `${runPath}/targets`,
      handler: `api/runs/list-${target}-run-targets`,
      summary: `List targets of a ${target} run`,
      description: "Returns the targets of the run with their progress, in the order in which they were selected.",
      access: "project",
      permission: "read",
      params,
      query: v.object(paging),
      success: 200,
      reply: page(runTarget),
      grants: { runs: ["GetItem", "Query"], rows: ["Query", "BatchGetItem"], scores: ["BatchGetItem"] },
    }),
    listScores: route({
      id: `list${name}RunScores`,
      method: "GET",
      path: `${runPath}/scores`,
      handler: `api/runs/list-${target}-run-scores`,
      summary: `List scores of a ${target} run`,
      description: scoresDescription,
      access: "project",
      permission: "read",
      params,
      query: scoresQuery,
      success: 200,
      /** A plain array, or a page if a paging parameter is present. */
      reply: v.union([v.array(score), page(score)]),
      grants: { runs: ["GetItem", "Query"], rows: ["Query", "BatchGetItem"], scores: ["Query", "BatchGetItem"] },
      streams: true,
      memory: 1024,
    }),
  };
};

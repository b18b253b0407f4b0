import type * as v from "valibot";
import type { createExperimentRun } from "../../contract/experiments/experiment-runs.ts";
import type { experimentParams } from "../../contract/experiments/experiments.ts";
import type { createSessionBatchRun } from "../../contract/runs/session-runs.ts";
import type { createTraceBatchRun } from "../../contract/runs/trace-runs.ts";
import { checkListedCount } from "../../domain/runs/checks.ts";
import { wholeTargets } from "../../domain/runs/run.ts";
import { resolveMetrics } from "../../evaluation/start/resolve-metrics.ts";
import { findReplayedRun } from "../../evaluation/start/start-run.ts";
import { endpoint, type HandlerRequest } from "../../http/endpoint.ts";
import { DryRun } from "../../http/answers.ts";
import { runReply } from "../../http/runs/reply.ts";
import { estimateRequest, runRequest } from "../../http/runs/request.ts";
import { connect } from "../../dynamo/database.ts";
import { runStore } from "../../store/runs/runs.ts";
import { requiredNumber, variables } from "../../wiring/environment.ts";
import { environmentEstimate } from "../../wiring/estimate.ts";
import { environmentModelCheck } from "../../wiring/judge-models.ts";
import { environmentPriceCheck } from "../../wiring/judge-price-check.ts";
import { environmentGuard } from "../../wiring/access-guards.ts";
import { customMetricStore } from "../../store/metrics/custom-metrics.ts";
import { environmentRunStart } from "../../wiring/run-start.ts";
import type { RunTargetKind } from "./target-kinds.ts";

type BatchRoute = typeof createTraceBatchRun | typeof createSessionBatchRun | typeof createExperimentRun;

/** Reads the ids of a run's targets, and the field of the body or the parameter that selects them. */
type TargetIds = (
  request: Pick<HandlerRequest<BatchRoute>, "body" | "project"> & {
    readonly params: v.InferOutput<typeof experimentParams> | undefined;
  },
) => Promise<readonly [field: string, ids: readonly string[]]>;

/** Returns the ids that a body lists. */
const listedIds: TargetIds = async ({ body }) => {
  if ("trace_ids" in body) return ["trace_ids", body.trace_ids];
  return ["session_ids", "session_ids" in body ? body.session_ids : []];
};

/** Creates the handler that starts a run over selected traces or sessions, or estimates its cost in a dry run. */
export const createBatchRun = (
  route: BatchRoute,
  { targetType, sequentialWhenListed: sequential }: RunTargetKind,
  targetIdsOf: TargetIds = listedIds,
) => {
  const database = connect();
  const runs = runStore(database);
  const choose = resolveMetrics(customMetricStore(database));
  const [start, estimate] = [environmentRunStart(database), environmentEstimate(database)];
  const [checkModel, checkPrices] = [environmentModelCheck(), environmentPriceCheck(database)];
  const maxTargets = requiredNumber(variables.maxTargetsPerBatch);

  return endpoint(route, environmentGuard(database), async (request) => {
    const { body, idFor, project, query, idempotency } = request;
    const id = idFor("run");
    const replayedRun = query.dry_run ? null : await findReplayedRun(runs, request, project.id, id);
    if (replayedRun !== null) return runReply(replayedRun);
    checkModel(body);
    const metrics = await choose(project.id, targetType, body.metrics);
    await checkPrices(project.id, metrics, body);
    const [field, ids] = await targetIdsOf(request);
    checkListedCount(field, ids.length, maxTargets);
    if (query.dry_run)
      return new DryRun(await estimate(project.id, targetType, { ...estimateRequest(body), metrics }, ids));
    const order = { ...runRequest(id, project.id, targetType, { ...body, metrics }), sequential, retryOf: null };
    return runReply(await start.startListed(order, wholeTargets(ids), idempotency));
  });
};

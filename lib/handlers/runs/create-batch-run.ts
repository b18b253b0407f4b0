import type { createSessionBatchRun } from "../../contract/runs/session-runs.ts";
import type { createTraceBatchRun } from "../../contract/runs/trace-runs.ts";
import { checkListedCount } from "../../domain/runs/checks.ts";
import { wholeTargets } from "../../domain/runs/run.ts";
import { resolveMetrics } from "../../evaluation/start/resolve-metrics.ts";
import { findReplayedRun } from "../../evaluation/start/start-run.ts";
import { endpoint } from "../../http/endpoint.ts";
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

/** Body members with an explicit list of trace or session ids. */
type TargetIds = { readonly trace_ids: readonly string[] } | { readonly session_ids: readonly string[] };

const targetIdsOf = (body: TargetIds): readonly [field: string, ids: readonly string[]] =>
  "trace_ids" in body ? ["trace_ids", body.trace_ids] : ["session_ids", body.session_ids];

/** Creates the handler that starts a run over listed traces or sessions, or estimates its cost in a dry run. */
export const createBatchRun = (
  route: typeof createTraceBatchRun | typeof createSessionBatchRun,
  { targetType, sequentialWhenListed: sequential }: RunTargetKind,
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
    const [field, ids] = targetIdsOf(body);
    checkListedCount(field, ids.length, maxTargets);
    if (query.dry_run)
      return new DryRun(await estimate(project.id, targetType, { ...estimateRequest(body), metrics }, ids));
    const order = { ...runRequest(id, project.id, targetType, { ...body, metrics }), sequential, retryOf: null };
    return runReply(await start.startListed(order, wholeTargets(ids), idempotency));
  });
};

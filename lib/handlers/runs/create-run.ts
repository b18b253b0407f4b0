import type { createSessionRun } from "../../contract/runs/session-runs.ts";
import type { createTraceRun } from "../../contract/runs/trace-runs.ts";
import { checkDeclared } from "../../domain/traces/facts.ts";
import { matchingTargets } from "../../evaluation/start/matching-targets.ts";
import { resolveMetrics } from "../../evaluation/start/resolve-metrics.ts";
import { findReplayedRun } from "../../evaluation/start/start-run.ts";
import { endpoint } from "../../http/endpoint.ts";
import { DryRun } from "../../http/answers.ts";
import { scoreNameCheck } from "../../http/metrics/unknown-score.ts";
import { runReply } from "../../http/runs/reply.ts";
import { estimateRequest, runRequest } from "../../http/runs/request.ts";
import { connect } from "../../dynamo/database.ts";
import { runStore } from "../../store/runs/runs.ts";
import { environmentEstimate } from "../../wiring/estimate.ts";
import { environmentModelCheck } from "../../wiring/judge-models.ts";
import { environmentPriceCheck } from "../../wiring/judge-price-check.ts";
import { environmentGuard } from "../../wiring/access-guards.ts";
import { customMetricStore } from "../../store/metrics/custom-metrics.ts";
import { environmentFileDays } from "../../wiring/file-days.ts";
import { environmentRunStart } from "../../wiring/run-start.ts";
import { environmentWordIndex } from "../../wiring/word-index.ts";
import { targetSources } from "../../wiring/target-sources.ts";
import type { RunTargetKind } from "./target-kinds.ts";

/** Creates the handler that starts a run over filtered traces or sessions, or estimates its cost in a dry run. */
export const createRun = (route: typeof createTraceRun | typeof createSessionRun, { targetType }: RunTargetKind) => {
  const database = connect();
  const runs = runStore(database);
  const choose = resolveMetrics(customMetricStore(database));
  const [start, estimate] = [environmentRunStart(database), environmentEstimate(database)];
  const [checkModel, checkPrices] = [environmentModelCheck(), environmentPriceCheck(database)];
  const checkScoreNames = scoreNameCheck(database, targetType === "TRACE" ? "trace" : "session");
  const matching = matchingTargets(
    targetSources(database, environmentFileDays(database), environmentWordIndex(database)),
  );

  return endpoint(route, environmentGuard(database), async (request) => {
    const { body, idFor, project, query, idempotency, warn } = request;
    const id = idFor("run");
    const replayedRun = query.dry_run ? null : await findReplayedRun(runs, request, project.id, id);
    if (replayedRun !== null) return runReply(replayedRun);
    checkModel(body);
    const metrics = await choose(project.id, targetType, body.metrics);
    await checkPrices(project.id, metrics, body);
    checkDeclared(body.filters.metadata, project.metadata_keys, (key) => ["body", "filters", "metadata", key]);
    await checkScoreNames(project.id, body.filters, warn);
    const targets = await matching(project.id, targetType, body.filters);
    if (query.dry_run) {
      const ids = start.sample(targets, body.sampling_rate).map(({ id }) => id);
      return new DryRun(await estimate(project.id, targetType, { ...estimateRequest(body), metrics }, ids));
    }
    const order = {
      ...runRequest(id, project.id, targetType, { ...body, metrics }),
      filters: body.filters,
      samplingRate: body.sampling_rate,
      monitorId: null,
    };
    return runReply(await start.startFiltered(order, targets, idempotency));
  });
};

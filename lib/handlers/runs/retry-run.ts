import type { retrySessionRun } from "../../contract/runs/session-runs.ts";
import type { retryTraceRun } from "../../contract/runs/trace-runs.ts";
import { isTerminal } from "../../domain/runs/run.ts";
import { findRun } from "../../evaluation/read/find-run.ts";
import { findReplayedRun } from "../../evaluation/start/start-run.ts";
import { startRetry } from "../../evaluation/start/start-retry.ts";
import { endpoint } from "../../http/endpoint.ts";
import { runReply } from "../../http/runs/reply.ts";
import { connect } from "../../dynamo/database.ts";
import { runStore } from "../../store/runs/runs.ts";
import { sessionScoreKind, traceScoreKind } from "../../store/scores/kind.ts";
import { runScores } from "../../store/scores/of-run.ts";
import { environmentGuard } from "../../wiring/access-guards.ts";
import { environmentPriceCheck } from "../../wiring/judge-price-check.ts";
import { environmentRunStart } from "../../wiring/run-start.ts";

/** Creates the handler that starts a new run over the failed evaluations of a run. */
export const retryRun = (route: typeof retryTraceRun | typeof retrySessionRun) => {
  const database = connect();
  const [runs, start, checkPrices] = [
    runStore(database),
    environmentRunStart(database),
    environmentPriceCheck(database),
  ];
  const scores = { TRACE: runScores(database, traceScoreKind), SESSION: runScores(database, sessionScoreKind) };

  return endpoint(route, environmentGuard(database), async (request) => {
    const { idFor, params, project, idempotency } = request;
    const id = idFor(params.run_id);
    const replayedRun = await findReplayedRun(runs, request, project.id, id);
    if (replayedRun !== null) return runReply(replayedRun);
    const storedRun = await findRun(runs, project.id, params.run_id);
    const { order, status } = storedRun.run;
    const judges = { model: order.model, judge: order.judge, max_cost_usd: order.maxCostUsd };
    if (isTerminal(status)) await checkPrices(project.id, order.metrics, judges, ["path", "run_id"]);
    const runScoresOfType = scores[order.targetType];
    return runReply(await startRetry(storedRun, id, runs, runScoresOfType, start, idempotency));
  });
};

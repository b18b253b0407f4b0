import type { listSessionRunTargets } from "../../contract/runs/session-runs.ts";
import type { listTraceRunTargets } from "../../contract/runs/trace-runs.ts";
import { findRun } from "../../evaluation/read/find-run.ts";
import { targetPage } from "../../evaluation/read/target-page.ts";
import { endpoint } from "../../http/endpoint.ts";
import { runTargetReply } from "../../http/runs/target-reply.ts";
import { connect } from "../../dynamo/database.ts";
import { runStore } from "../../store/runs/runs.ts";
import { sessionScoreKind, traceScoreKind } from "../../store/scores/kind.ts";
import { runScores } from "../../store/scores/of-run.ts";
import { environmentGuard } from "../../wiring/access-guards.ts";

/** Creates the handler that lists the targets of a run with their progress. */
export const listRunTargets = (route: typeof listTraceRunTargets | typeof listSessionRunTargets) => {
  const database = connect();
  const runs = runStore(database);
  const scores = { TRACE: runScores(database, traceScoreKind), SESSION: runScores(database, sessionScoreKind) };

  return endpoint(route, environmentGuard(database), async ({ params, project, paging }) => {
    const storedRun = await findRun(runs, project.id, params.run_id);
    const targets = await targetPage(storedRun, paging, runs, scores[storedRun.run.order.targetType], Date.now());
    const { total } = storedRun.run.order;
    // The targets of a run never change, so the offset alone is a stable cursor position.
    const last = paging.offset + targets.length < total ? { key: null, id: "" } : null;
    return paging.page(targets.map(runTargetReply), total, last);
  });
};

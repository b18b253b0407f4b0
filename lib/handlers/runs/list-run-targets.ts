import type { listSessionRunTargets } from "../../contract/runs/session-runs.ts";
import type { listTraceRunTargets } from "../../contract/runs/trace-runs.ts";
import { findRun } from "../../evaluation/read/find-run.ts";
import { targetPage } from "../../evaluation/read/target-page.ts";
import { endpoint } from "../../http/endpoint.ts";
import { runTargetReply } from "../../http/runs/target-reply.ts";
import { connect } from "../../store/database.ts";
import { runStore } from "../../store/runs/runs.ts";
import { sessionScores, traceScores } from "../../store/scores/kind.ts";
import { runScores } from "../../store/scores/of-run.ts";
import { environmentGate } from "../../wiring/gates.ts";

/** Lists the targets of a run, whatever they are, and how far each is. */
export const listRunTargets = (route: typeof listTraceRunTargets | typeof listSessionRunTargets) => {
  const database = connect();
  const runs = runStore(database);
  const scores = { TRACE: runScores(database, traceScores), SESSION: runScores(database, sessionScores) };

  return endpoint(route, environmentGate(database), async ({ params, project, paging }) => {
    const stored = await findRun(runs, project.id, params.run_id);
    const targets = await targetPage(stored, paging, runs, scores[stored.run.order.targetType], Date.now());
    const { total } = stored.run.order;
    // They are frozen: their number says where a page begins, whatever happens meanwhile.
    const last = paging.offset + targets.length < total ? { key: null, id: "" } : null;
    return paging.page(targets.map(runTargetReply), total, last);
  });
};

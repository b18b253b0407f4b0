import { listSessionRunTargets } from "../../../lib/contract/session-runs.ts";
import { findRun } from "../../../lib/evaluation/find-run.ts";
import { targetPage } from "../../../lib/evaluation/target-page.ts";
import { endpoint } from "../../../lib/http/endpoint.ts";
import { environmentGate } from "../../../lib/http/environment-gate.ts";
import { runTargetReply } from "../../../lib/http/run-target-reply.ts";
import { connect } from "../../../lib/store/database.ts";
import { runScores } from "../../../lib/store/run-scores.ts";
import { runStore } from "../../../lib/store/runs.ts";
import { sessionScores, traceScores } from "../../../lib/store/score-kind.ts";

const database = connect();
const runs = runStore(database);
const scores = { TRACE: runScores(database, traceScores), SESSION: runScores(database, sessionScores) };

export const handler = endpoint(
  listSessionRunTargets,
  environmentGate(database),
  async ({ params, project, query }) => {
    const stored = await findRun(runs, project.id, params.run_id);
    const targets = await targetPage(stored, query, runs, scores[stored.run.order.targetType], Date.now());
    return { items: targets.map(runTargetReply), total: stored.run.order.total, ...query };
  },
);

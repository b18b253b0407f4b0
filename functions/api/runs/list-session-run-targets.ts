import { listSessionRunTargets } from "../../../lib/contract/runs/session-runs.ts";
import { findRun } from "../../../lib/evaluation/read/find-run.ts";
import { targetPage } from "../../../lib/evaluation/read/target-page.ts";
import { endpoint } from "../../../lib/http/endpoint.ts";
import { environmentGate } from "../../../lib/wiring/gates.ts";
import { runTargetReply } from "../../../lib/http/runs/target-reply.ts";
import { connect } from "../../../lib/store/database.ts";
import { runScores } from "../../../lib/store/scores/of-run.ts";
import { runStore } from "../../../lib/store/runs/runs.ts";
import { sessionScores, traceScores } from "../../../lib/store/scores/kind.ts";

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

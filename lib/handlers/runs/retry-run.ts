import type { retrySessionRun } from "../../contract/runs/session-runs.ts";
import type { retryTraceRun } from "../../contract/runs/trace-runs.ts";
import { findRun } from "../../evaluation/read/find-run.ts";
import { startedBefore } from "../../evaluation/start/started-before.ts";
import { startRetry } from "../../evaluation/start/start-retry.ts";
import { endpoint } from "../../http/endpoint.ts";
import { runReply } from "../../http/runs/reply.ts";
import { connect } from "../../store/database.ts";
import { runStore } from "../../store/runs/runs.ts";
import { sessionScores, traceScores } from "../../store/scores/kind.ts";
import { runScores } from "../../store/scores/of-run.ts";
import { environmentGate } from "../../wiring/gates.ts";
import { environmentRunStart } from "../../wiring/run-start.ts";

/** Evaluates again what failed in a run, whatever its targets are. */
export const retryRun = (route: typeof retryTraceRun | typeof retrySessionRun) => {
  const database = connect();
  const [runs, start] = [runStore(database), environmentRunStart(database)];
  const scores = { TRACE: runScores(database, traceScores), SESSION: runScores(database, sessionScores) };

  return endpoint(route, environmentGate(database), async (request) => {
    const { mint, params, project, repeat } = request;
    const id = mint(params.run_id);
    const before = await startedBefore(runs, request, project.id, id);
    if (before !== null) return runReply(before);
    const stored = await findRun(runs, project.id, params.run_id);
    const of = scores[stored.run.order.targetType];
    return runReply(await startRetry(stored, id, runs, of, start, repeat));
  });
};

import type { getSessionRun } from "../../contract/runs/session-runs.ts";
import type { getTraceRun } from "../../contract/runs/trace-runs.ts";
import { findRun } from "../../evaluation/read/find-run.ts";
import { endpoint } from "../../http/endpoint.ts";
import { runReply } from "../../http/runs/reply.ts";
import { connect } from "../../dynamo/database.ts";
import { runStore } from "../../store/runs/runs.ts";
import { environmentGuard } from "../../wiring/access-guards.ts";

/** Creates the handler that returns a run with its current counts of evaluated and failed targets. */
export const getRun = (route: typeof getTraceRun | typeof getSessionRun) => {
  const database = connect();
  const runs = runStore(database);

  return endpoint(route, environmentGuard(database), async ({ params, project }) =>
    runReply(await runs.withLiveCounts(await findRun(runs, project.id, params.run_id))),
  );
};

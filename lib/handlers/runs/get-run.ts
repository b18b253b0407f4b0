import type { getSessionRun } from "../../contract/runs/session-runs.ts";
import type { getTraceRun } from "../../contract/runs/trace-runs.ts";
import { findRun } from "../../evaluation/read/find-run.ts";
import { endpoint } from "../../http/endpoint.ts";
import { runReply } from "../../http/runs/reply.ts";
import { connect } from "../../store/database.ts";
import { runStore } from "../../store/runs/runs.ts";
import { environmentGate } from "../../wiring/gates.ts";

/** Reads a run with its live counters, whatever its targets are. */
export const getRun = (route: typeof getTraceRun | typeof getSessionRun) => {
  const database = connect();
  const runs = runStore(database);

  return endpoint(route, environmentGate(database), async ({ params, project }) =>
    runReply(await runs.withLiveCounts(await findRun(runs, project.id, params.run_id))),
  );
};

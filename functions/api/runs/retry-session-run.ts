import { retrySessionRun } from "../../../lib/contract/runs/session-runs.ts";
import { environmentRunStart } from "../../../lib/wiring/run-start.ts";
import { findRun } from "../../../lib/evaluation/read/find-run.ts";
import { retryRun } from "../../../lib/evaluation/start/retry-run.ts";
import { endpoint } from "../../../lib/http/endpoint.ts";
import { environmentGate } from "../../../lib/wiring/gates.ts";
import { runReply } from "../../../lib/http/runs/reply.ts";
import { connect } from "../../../lib/store/database.ts";
import { runStore } from "../../../lib/store/runs/runs.ts";

const database = connect();
const [runs, start] = [runStore(database), environmentRunStart(database)];

export const handler = endpoint(retrySessionRun, environmentGate(database), async ({ mint, params, project }) => {
  const stored = await findRun(runs, project.id, params.run_id);
  return runReply(await retryRun(stored, mint(params.run_id), runs, start));
});

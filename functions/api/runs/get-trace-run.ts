import { getTraceRun } from "../../../lib/contract/runs/trace-runs.ts";
import { findRun } from "../../../lib/evaluation/read/find-run.ts";
import { endpoint } from "../../../lib/http/endpoint.ts";
import { environmentGate } from "../../../lib/wiring/gates.ts";
import { runReply } from "../../../lib/http/runs/reply.ts";
import { connect } from "../../../lib/store/database.ts";
import { runStore } from "../../../lib/store/runs/runs.ts";

const database = connect();
const runs = runStore(database);

export const handler = endpoint(getTraceRun, environmentGate(database), async ({ params, project }) =>
  runReply(await runs.withLiveCounts(await findRun(runs, project.id, params.run_id))),
);

import { getTraceRun } from "../../../lib/contract/trace-runs.ts";
import { notFound } from "../../../lib/domain/refusal.ts";
import { endpoint } from "../../../lib/http/endpoint.ts";
import { environmentGate } from "../../../lib/http/environment-gate.ts";
import { runReply } from "../../../lib/http/run-reply.ts";
import { connect } from "../../../lib/store/database.ts";
import { runStore } from "../../../lib/store/runs.ts";

const database = connect();
const runs = runStore(database);

export const handler = endpoint(getTraceRun, environmentGate(database), async ({ params, project }) => {
  const run = await runs.get(project.id, params.run_id);
  if (run === null || run.order.targetType !== "TRACE") throw notFound(`Eval run ${params.run_id} not found.`);
  return runReply(run);
});

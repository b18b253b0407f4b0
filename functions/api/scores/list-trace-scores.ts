import { listTraceScores } from "../../../lib/contract/scores/trace-scores.ts";
import { endpoint } from "../../../lib/http/endpoint.ts";
import { environmentGate } from "../../../lib/wiring/gates.ts";
import { connect } from "../../../lib/store/database.ts";
import { traceScoreList } from "../../../lib/store/scores/of-trace.ts";

const database = connect();
const scores = traceScoreList(database);

export const handler = endpoint(listTraceScores, environmentGate(database), async ({ project, query }) => {
  const { limit, offset, trace_id, eval_run_id, data_type, date_from, date_to, ...same } = query;
  const filter = {
    ...same,
    targetId: trace_id,
    runId: eval_run_id,
    dataType: data_type,
    from: date_from,
    to: date_to,
  };
  return { ...(await scores.page(project.id, filter, limit, offset)), limit, offset };
});

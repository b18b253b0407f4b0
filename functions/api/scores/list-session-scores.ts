import { listSessionScores } from "../../../lib/contract/scores/session-scores.ts";
import { endpoint } from "../../../lib/http/endpoint.ts";
import { environmentGate } from "../../../lib/wiring/gates.ts";
import { connect } from "../../../lib/store/database.ts";
import { sessionScores } from "../../../lib/store/scores/kind.ts";
import { scoreList } from "../../../lib/store/scores/list.ts";

const database = connect();
const scores = scoreList(database, sessionScores);

export const handler = endpoint(listSessionScores, environmentGate(database), async ({ project, query }) => {
  const { limit, offset, session_id, eval_run_id, date_from, date_to, ...same } = query;
  const filter = { ...same, targetId: session_id, runId: eval_run_id, from: date_from, to: date_to };
  return { ...(await scores.page(project.id, filter, limit, offset)), limit, offset };
});

import { compareSessionScores } from "../../../lib/contract/scores/analytics.ts";
import { comparedSessions } from "../../../lib/domain/scores/session-comparison.ts";
import { endpoint } from "../../../lib/http/endpoint.ts";
import { environmentGate } from "../../../lib/wiring/gates.ts";
import { connect } from "../../../lib/store/database.ts";
import { latestSessionScores } from "../../../lib/store/scores/latest-of-session.ts";

const database = connect();
const latest = latestSessionScores(database);

export const handler = endpoint(compareSessionScores, environmentGate(database), async ({ project, query }) => {
  const { limit, metric_name, offset, sort_order } = query;
  const sessions = comparedSessions(await latest.list(project.id, metric_name), sort_order);
  const items = sessions.slice(offset, offset + limit).map(({ session, score, at, run }) => ({
    session_id: session,
    score,
    evaluated_at: at,
    eval_run_id: run,
  }));
  return { items, total: sessions.length, limit, offset };
});

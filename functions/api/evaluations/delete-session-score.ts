import { deleteSessionScore } from "../../../lib/contract/session-scores.ts";
import { notFound } from "../../../lib/domain/refusal.ts";
import { endpoint } from "../../../lib/http/endpoint.ts";
import { environmentGate } from "../../../lib/http/environment-gate.ts";
import { connect } from "../../../lib/store/database.ts";
import { scoreChanges } from "../../../lib/store/score-changes.ts";
import { sessionScores } from "../../../lib/store/score-kind.ts";

const database = connect();
const scores = scoreChanges(database, sessionScores);

export const handler = endpoint(deleteSessionScore, environmentGate(database), async ({ params, project }) => {
  if (!(await scores.remove(project.id, params.session_or_score_id)))
    throw notFound(`Session score ${params.session_or_score_id} not found.`);
});

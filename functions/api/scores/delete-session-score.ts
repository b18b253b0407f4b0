import { deleteSessionScore } from "../../../lib/contract/scores/session-scores.ts";
import { notFound } from "../../../lib/domain/refusal.ts";
import { endpoint } from "../../../lib/http/endpoint.ts";
import { environmentGate } from "../../../lib/wiring/gates.ts";
import { connect } from "../../../lib/store/database.ts";
import { scoreChanges } from "../../../lib/store/scores/changes.ts";
import { sessionScores } from "../../../lib/store/scores/kind.ts";

const database = connect();
const scores = scoreChanges(database, sessionScores);

export const handler = endpoint(deleteSessionScore, environmentGate(database), async ({ params, project }) => {
  if (!(await scores.remove(project.id, params.session_or_score_id)))
    throw notFound(`Session score ${params.session_or_score_id} not found.`);
});

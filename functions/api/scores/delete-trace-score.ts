import { deleteTraceScore } from "../../../lib/contract/scores/trace-scores.ts";
import { notFound } from "../../../lib/domain/refusal.ts";
import { endpoint } from "../../../lib/http/endpoint.ts";
import { environmentGate } from "../../../lib/wiring/gates.ts";
import { connect } from "../../../lib/store/database.ts";
import { scoreChanges } from "../../../lib/store/scores/changes.ts";
import { traceScores } from "../../../lib/store/scores/kind.ts";

const database = connect();
const scores = scoreChanges(database, traceScores);

export const handler = endpoint(deleteTraceScore, environmentGate(database), async ({ params, project }) => {
  if (!(await scores.remove(project.id, params.trace_or_score_id)))
    throw notFound(`Trace score ${params.trace_or_score_id} not found.`);
});

import { updateTraceScore } from "../../../lib/contract/scores/trace-scores.ts";
import { instantAt } from "../../../lib/domain/instant.ts";
import { userOf } from "../../../lib/domain/access/principal.ts";
import { notFound } from "../../../lib/domain/refusal.ts";
import { editScore } from "../../../lib/domain/scores/edit.ts";
import { endpoint } from "../../../lib/http/endpoint.ts";
import { environmentGate } from "../../../lib/wiring/gates.ts";
import { connect } from "../../../lib/store/database.ts";
import { scoreChanges } from "../../../lib/store/scores/changes.ts";
import { traceScores } from "../../../lib/store/scores/kind.ts";

const database = connect();
const scores = scoreChanges(database, traceScores);

export const handler = endpoint(
  updateTraceScore,
  environmentGate(database),
  async ({ body, params, principal, project }) => {
    const edited = await scores.edit(project.id, params.trace_or_score_id, (score) =>
      editScore(score, body, userOf(principal), instantAt(Date.now())),
    );
    if (edited === null) throw notFound(`Trace score ${params.trace_or_score_id} not found.`);
    return edited;
  },
);

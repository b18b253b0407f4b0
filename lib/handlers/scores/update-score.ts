import type { updateSessionScore } from "../../contract/scores/session-scores.ts";
import type { updateTraceScore } from "../../contract/scores/trace-scores.ts";
import { userOf } from "../../domain/access/principal.ts";
import { instantAt } from "../../domain/instant.ts";
import { editScore } from "../../domain/scores/edit.ts";
import type { SessionScore, TraceScore } from "../../domain/scores/score.ts";
import { endpoint } from "../../http/endpoint.ts";
import { connect } from "../../store/database.ts";
import { scoreChanges } from "../../store/scores/changes.ts";
import type { ScoreKind } from "../../store/scores/kind.ts";
import { marked, scoreMarks } from "../../store/scores/stale/marked.ts";
import { environmentGate } from "../../wiring/gates.ts";
import { scoreNotFound } from "./score-id.ts";

/** Edits a score: from then on it is the editor's. */
export const updateScore = <S extends TraceScore | SessionScore>(
  route: typeof updateTraceScore | typeof updateSessionScore,
  kind: ScoreKind<S>,
) => {
  const database = connect();
  const scores = scoreChanges(database, kind);
  const marks = scoreMarks(database, kind);

  return endpoint(route, environmentGate(database), async ({ body, params, principal, project }) => {
    const id = params.score_id;
    const edited = await scores.edit(project.id, id, (score) =>
      editScore(score, body, userOf(principal), instantAt(Date.now())),
    );
    if (edited === null) throw scoreNotFound(kind, id);
    const score: TraceScore | SessionScore = edited;
    return marked(score, await marks.one(project.id, edited));
  });
};

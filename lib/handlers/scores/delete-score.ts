import type { deleteSessionScore } from "../../contract/scores/session-scores.ts";
import type { deleteTraceScore } from "../../contract/scores/trace-scores.ts";
import type { SessionScore, TraceScore } from "../../domain/scores/score.ts";
import { endpoint } from "../../http/endpoint.ts";
import { connect } from "../../dynamo/database.ts";
import { scoreChanges } from "../../store/scores/changes.ts";
import type { ScoreKind } from "../../store/scores/kind.ts";
import { environmentGuard } from "../../wiring/access-guards.ts";
import { scoreNotFound } from "./score-not-found.ts";

/** Creates the handler that deletes a score of a trace or a session. */
export const deleteScore = <S extends TraceScore | SessionScore>(
  route: typeof deleteTraceScore | typeof deleteSessionScore,
  kind: ScoreKind<S>,
) => {
  const database = connect();
  const scores = scoreChanges(database, kind);

  return endpoint(route, environmentGuard(database), async ({ params, project }) => {
    const id = params.score_id;
    if (!(await scores.remove(project.id, id))) throw scoreNotFound(kind, id);
  });
};

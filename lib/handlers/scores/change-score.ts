import type { deleteSessionScore, updateSessionScore } from "../../contract/scores/session-scores.ts";
import type { deleteTraceScore, updateTraceScore } from "../../contract/scores/trace-scores.ts";
import { userIdOf } from "../../domain/access/principal.ts";
import { instantAt } from "../../domain/instant.ts";
import { notFound, type Refusal } from "../../domain/refusal.ts";
import { editScore } from "../../domain/scores/edit.ts";
import { maskScore } from "../../domain/scores/mask.ts";
import type { SessionScore, TraceScore } from "../../domain/scores/score.ts";
import { endpoint } from "../../http/endpoint.ts";
import { connect } from "../../dynamo/database.ts";
import { scoreChanges } from "../../store/scores/changes.ts";
import type { ScoreTarget } from "../../store/scores/keys.ts";
import type { ScoreKind } from "../../store/scores/kind.ts";
import { withStaleness, stalenessReader } from "../../store/scores/stale/with-staleness.ts";
import { environmentGuard } from "../../wiring/access-guards.ts";

const scoreNotFound = (target: ScoreTarget, id: string): Refusal =>
  notFound(`${target === "trace" ? "Trace" : "Session"} score ${id} not found.`);

/** Creates the handler that edits a score. The editing user becomes its author. */
export const updateScore = <S extends TraceScore | SessionScore>(
  route: typeof updateTraceScore | typeof updateSessionScore,
  kind: ScoreKind<S>,
) => {
  const database = connect();
  const scores = scoreChanges(database, kind);
  const staleness = stalenessReader(database, kind);

  return endpoint(route, environmentGuard(database), async ({ body, params, principal, project }) => {
    const id = params.score_id;
    const edited = await scores.edit(project.id, id, (score) =>
      editScore(score, maskScore(project.masking, body, score.data_type), userIdOf(principal), instantAt(Date.now())),
    );
    if (edited === null) throw scoreNotFound(kind.target, id);
    const score: TraceScore | SessionScore = edited;
    return withStaleness(score, await staleness.one(project.id, edited));
  });
};

/** Creates the handler that deletes a score of a trace or a session. */
export const deleteScore = <S extends TraceScore | SessionScore>(
  route: typeof deleteTraceScore | typeof deleteSessionScore,
  kind: ScoreKind<S>,
) => {
  const database = connect();
  const scores = scoreChanges(database, kind);

  return endpoint(route, environmentGuard(database), async ({ params, project }) => {
    const id = params.score_id;
    if (!(await scores.remove(project.id, id))) throw scoreNotFound(kind.target, id);
  });
};

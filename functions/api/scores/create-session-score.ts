import { createSessionScore } from "../../../lib/contract/scores/session-scores.ts";
import { instantAt } from "../../../lib/domain/instant.ts";
import { userIdOf } from "../../../lib/domain/access/principal.ts";
import { notFound } from "../../../lib/domain/refusal.ts";
import { submittedScore } from "../../../lib/domain/scores/submitted-score.ts";
import { endpoint } from "../../../lib/http/endpoint.ts";
import { environmentGuard } from "../../../lib/wiring/access-guards.ts";
import { connect } from "../../../lib/dynamo/database.ts";
import { scoreCreation } from "../../../lib/store/scores/creation.ts";
import { sessionScoreKind } from "../../../lib/store/scores/kind.ts";
import { withStaleness, stalenessReader } from "../../../lib/store/scores/stale/with-staleness.ts";

const database = connect();
const scores = scoreCreation(database);
const staleness = stalenessReader(database, sessionScoreKind);

export const handler = endpoint(
  createSessionScore,
  environmentGuard(database),
  async ({ body, idFor, principal, project, idempotency }) => {
    const origin = {
      id: idFor("score"),
      projectId: project.id,
      author: userIdOf(principal),
      at: instantAt(Date.now()),
    };
    const score = { ...submittedScore(body, origin), session_id: body.session_id };
    const storedScore = await scores.ofSession(score, idempotency);
    if (storedScore === null) throw notFound(`Session '${body.session_id}' not found.`);
    return withStaleness(storedScore, await staleness.one(project.id, storedScore));
  },
);

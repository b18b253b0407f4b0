import { getScore } from "../../../lib/contract/scores/score.ts";
import { notFound } from "../../../lib/domain/refusal.ts";
import { endpoint } from "../../../lib/http/endpoint.ts";
import { environmentGuard } from "../../../lib/wiring/access-guards.ts";
import { connect } from "../../../lib/dynamo/database.ts";
import { sessionScoreKind, traceScoreKind } from "../../../lib/store/scores/kind.ts";
import { scoreReader } from "../../../lib/store/scores/reader.ts";
import { stalenessReader } from "../../../lib/store/scores/stale/with-staleness.ts";

const database = connect();
const traceScores = scoreReader(database, traceScoreKind);
const sessionScores = scoreReader(database, sessionScoreKind);
const traceStaleness = stalenessReader(database, traceScoreKind);
const sessionStaleness = stalenessReader(database, sessionScoreKind);

export const handler = endpoint(getScore, environmentGuard(database), async ({ params, project }) => {
  const ids = [params.score_id];
  const [ofTrace, ofSession] = await Promise.all([
    traceScores.read(project.id, ids),
    sessionScores.read(project.id, ids),
  ]);
  const [score] = [
    ...(await traceStaleness.all(project.id, ofTrace)),
    ...(await sessionStaleness.all(project.id, ofSession)),
  ];
  if (score === undefined) throw notFound(`Score ${params.score_id} not found.`);
  return score;
});

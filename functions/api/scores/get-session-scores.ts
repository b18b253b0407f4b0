import { getSessionScores } from "../../../lib/contract/scores/session-scores.ts";
import { endpoint } from "../../../lib/http/endpoint.ts";
import { environmentGuard } from "../../../lib/wiring/access-guards.ts";
import { JsonArray } from "../../../lib/http/json-array.ts";
import { connect } from "../../../lib/dynamo/database.ts";
import { sessionScoreKind } from "../../../lib/store/scores/kind.ts";
import { scoreList } from "../../../lib/store/scores/list.ts";
import { stalenessReader } from "../../../lib/store/scores/stale/with-staleness.ts";

const database = connect();
const scores = scoreList(database, sessionScoreKind);
const staleness = stalenessReader(database, sessionScoreKind);

export const handler = endpoint(
  getSessionScores,
  environmentGuard(database),
  async ({ params, project }) =>
    new JsonArray(staleness.each(project.id, scores.ofTarget(project.id, { target_id: params.score_id }))),
);

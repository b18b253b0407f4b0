import { getTraceScores } from "../../../lib/contract/scores/trace-scores.ts";
import { latestByName } from "../../../lib/domain/scores/latest-scores.ts";
import { endpoint } from "../../../lib/http/endpoint.ts";
import { environmentGuard } from "../../../lib/wiring/access-guards.ts";
import { connect } from "../../../lib/dynamo/database.ts";
import { traceScoreKind } from "../../../lib/store/scores/kind.ts";
import { stalenessReader } from "../../../lib/store/scores/stale/with-staleness.ts";
import { traceScoreList } from "../../../lib/store/scores/of-trace.ts";

const database = connect();
const scores = traceScoreList(database);
const staleness = stalenessReader(database, traceScoreKind);

export const handler = endpoint(getTraceScores, environmentGuard(database), async ({ params, project }) =>
  staleness.all(project.id, await latestByName(scores.ofTarget(project.id, { target_id: params.score_id }))),
);

import { getTraceScores } from "../../../lib/contract/scores/trace-scores.ts";
import { notFound } from "../../../lib/domain/refusal.ts";
import { latestByName } from "../../../lib/domain/scores/latest-scores.ts";
import { endpoint } from "../../../lib/http/endpoint.ts";
import { environmentGuard } from "../../../lib/wiring/access-guards.ts";
import { connect } from "../../../lib/dynamo/database.ts";
import { traceScoreKind } from "../../../lib/store/scores/kind.ts";
import { scoreReader } from "../../../lib/store/scores/reader.ts";
import { stalenessReader } from "../../../lib/store/scores/stale/with-staleness.ts";
import { traceScoreList } from "../../../lib/store/scores/of-trace.ts";

const database = connect();
const scores = traceScoreList(database);
const staleness = stalenessReader(database, traceScoreKind);

const scoresById = scoreReader(database, traceScoreKind);

export const handler = endpoint(getTraceScores, environmentGuard(database), async ({ params, project }) => {
  const { score_id: id } = params;
  const latest = await staleness.all(project.id, await latestByName(scores.ofTarget(project.id, { target_id: id })));
  if (latest.length === 0 && (await scoresById.read(project.id, [id])).length > 0)
    throw notFound(`${id} is the id of a score, not of a trace. Read the score with GET /evaluations/scores/${id}.`);
  return latest;
});

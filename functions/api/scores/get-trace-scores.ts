import { getTraceScores } from "../../../lib/contract/scores/trace-scores.ts";
import { latestByName } from "../../../lib/domain/scores/latest-scores.ts";
import { endpoint } from "../../../lib/http/endpoint.ts";
import { environmentGate } from "../../../lib/wiring/gates.ts";
import { connect } from "../../../lib/store/database.ts";
import { traceScores } from "../../../lib/store/scores/kind.ts";
import { scoreMarks } from "../../../lib/store/scores/stale/marked.ts";
import { traceScoreList } from "../../../lib/store/scores/of-trace.ts";

const database = connect();
const scores = traceScoreList(database);
const marks = scoreMarks(database, traceScores);

export const handler = endpoint(getTraceScores, environmentGate(database), async ({ params, project }) =>
  marks.all(project.id, await latestByName(scores.ofTarget(project.id, { target_id: params.score_id }))),
);

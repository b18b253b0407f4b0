import { getSessionScores } from "../../../lib/contract/scores/session-scores.ts";
import { endpoint } from "../../../lib/http/endpoint.ts";
import { environmentGate } from "../../../lib/wiring/gates.ts";
import { JsonArray } from "../../../lib/http/json-array.ts";
import { connect } from "../../../lib/store/database.ts";
import { sessionScores } from "../../../lib/store/scores/kind.ts";
import { scoreList } from "../../../lib/store/scores/list.ts";
import { scoreMarks } from "../../../lib/store/scores/stale/marked.ts";

const database = connect();
const scores = scoreList(database, sessionScores);
const marks = scoreMarks(database, sessionScores);

export const handler = endpoint(
  getSessionScores,
  environmentGate(database),
  async ({ params, project }) =>
    new JsonArray(marks.each(project.id, scores.ofTarget(project.id, { target_id: params.score_id }))),
);

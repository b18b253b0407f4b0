import { getSessionScoreHistory } from "../../../lib/contract/score-analytics.ts";
import { historyPoint, type HistoryPoint } from "../../../lib/domain/session-history.ts";
import { endpoint } from "../../../lib/http/endpoint.ts";
import { environmentGate } from "../../../lib/http/environment-gate.ts";
import { connect } from "../../../lib/store/database.ts";
import { sessionScores } from "../../../lib/store/score-kind.ts";
import { scoreList } from "../../../lib/store/score-list.ts";

const database = connect();
const scores = scoreList(database, sessionScores);

export const handler = endpoint(
  getSessionScoreHistory,
  environmentGate(database),
  async ({ params, project, query }) => {
    const filter = { targetId: params.session_id, name: query.metric_name, dataType: "NUMERIC" } as const;
    const newest: HistoryPoint[] = [];
    for await (const score of scores.ofTarget(project.id, filter)) {
      newest.push(historyPoint(score));
      if (newest.length === query.limit) break;
    }
    return newest.toReversed();
  },
);

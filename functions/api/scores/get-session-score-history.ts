import { getSessionScoreHistory } from "../../../lib/contract/scores/analytics.ts";
import { checkVersionOf } from "../../../lib/contract/scores/filters.ts";
import { contentTest } from "../../../lib/domain/scores/filter.ts";
import type { SessionScore } from "../../../lib/domain/scores/score.ts";
import { historyPoint } from "../../../lib/domain/scores/session-history.ts";
import { endpoint } from "../../../lib/http/endpoint.ts";
import { environmentGate } from "../../../lib/wiring/gates.ts";
import { connect } from "../../../lib/store/database.ts";
import { sessionScores } from "../../../lib/store/scores/kind.ts";
import { scoreList } from "../../../lib/store/scores/list.ts";
import { scoreMarks } from "../../../lib/store/scores/stale/marked.ts";

const database = connect();
const scores = scoreList(database, sessionScores);
const marks = scoreMarks(database, sessionScores);

export const handler = endpoint(
  getSessionScoreHistory,
  environmentGate(database),
  async ({ params, project, query }) => {
    checkVersionOf("metric_name", query.metric_name, query.metric_version);
    const filter = {
      target_id: params.session_id,
      name: query.metric_name,
      judge: query.judge,
      data_type: "NUMERIC",
    } as const;
    const newest: SessionScore[] = [];
    const isOfVersion = contentTest({ metric_version: query.metric_version }) ?? (() => true);
    for await (const score of scores.ofTarget(project.id, filter)) {
      if (!isOfVersion(score)) continue;
      newest.push(score);
      if (newest.length === query.limit) break;
    }
    return (await marks.all(project.id, newest.toReversed())).map(historyPoint);
  },
);

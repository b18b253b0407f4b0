import { getSessionScoreHistory } from "../../../lib/contract/scores/session-analytics.ts";
import { requireMetricOfVersion } from "../../../lib/contract/scores/filters.ts";
import { contentTest } from "../../../lib/domain/scores/filter.ts";
import type { SessionScore } from "../../../lib/domain/scores/score.ts";
import { historyPoint } from "../../../lib/domain/scores/session-history.ts";
import { endpoint } from "../../../lib/http/endpoint.ts";
import { emptyReplyCheck } from "../../../lib/http/metrics/unknown-score.ts";
import { environmentGuard } from "../../../lib/wiring/access-guards.ts";
import { connect } from "../../../lib/dynamo/database.ts";
import { sessionScoreKind } from "../../../lib/store/scores/kind.ts";
import { scoreList } from "../../../lib/store/scores/list.ts";
import { stalenessReader } from "../../../lib/store/scores/stale/with-staleness.ts";

const database = connect();
const scores = scoreList(database, sessionScoreKind);
const checkName = emptyReplyCheck(database, "session");
const staleness = stalenessReader(database, sessionScoreKind);

export const handler = endpoint(
  getSessionScoreHistory,
  environmentGuard(database),
  async ({ params, project, query, warn }) => {
    requireMetricOfVersion("metric_name", query.metric_name, query.metric_version);
    const filter = {
      target_id: params.session_id,
      name: query.metric_name,
      judge: query.judge,
    } as const;
    const newest: SessionScore[] = [];
    const isOfVersion = contentTest(query) ?? (() => true);
    for await (const score of scores.ofTarget(project.id, filter)) {
      if (score.data_type === "CATEGORICAL" || !isOfVersion(score)) continue;
      newest.push(score);
      if (newest.length === query.limit) break;
    }
    await checkName(project.id, query.metric_name, newest, warn);
    return (await staleness.all(project.id, newest.toReversed())).map(historyPoint);
  },
);

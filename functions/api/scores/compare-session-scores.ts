import { compareSessionScores } from "../../../lib/contract/scores/session-analytics.ts";
import { comparedSessions } from "../../../lib/domain/scores/session-comparison.ts";
import { endpoint } from "../../../lib/http/endpoint.ts";
import { emptyReplyCheck } from "../../../lib/http/metrics/unknown-score.ts";
import { pagedReply } from "../../../lib/http/paging.ts";
import { environmentGuard } from "../../../lib/wiring/access-guards.ts";
import { connect } from "../../../lib/dynamo/database.ts";
import { latestSessionScores } from "../../../lib/store/scores/latest-of-session.ts";
import { latestOfJudge } from "../../../lib/store/scores/latest-of-judge.ts";
import { staleSessions } from "../../../lib/store/scores/stale/staleness.ts";

const database = connect();
const latest = latestSessionScores(database);
const ofJudge = latestOfJudge(database);
const checkName = emptyReplyCheck(database, "session");
const staleness = staleSessions(database);

export const handler = endpoint(
  compareSessionScores,
  environmentGuard(database),
  async ({ project, query, paging, warn }) => {
    const { judge, metric_version, metric_name: name, sort_order } = query;
    const hasJudgeFilter = judge !== undefined || metric_version !== undefined;
    const latestScores = await (hasJudgeFilter
      ? ofJudge(project.id, name, { judge, metric_version })
      : latest.list(project.id, name));
    await checkName(project.id, name, latestScores, warn);
    const sessions = comparedSessions(latestScores, sort_order);
    const page = pagedReply(paging, sessions, ({ session, score }) => ({ key: score, id: session }), sort_order);
    const sessionVersions = page.items.map(({ session, version }) => ({
      session_id: session,
      session_version: version,
    }));
    const stale = await staleness(project.id, sessionVersions);
    return {
      ...page,
      items: page.items.map(({ session, score, at, run }, index) => ({
        session_id: session,
        score,
        evaluated_at: at,
        eval_run_id: run,
        stale: stale[index] ?? null,
      })),
    };
  },
);

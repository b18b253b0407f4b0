import type { getSessionScoreSummary, getTraceScoreSummary } from "../../contract/scores/analytics.ts";
import { requireMetricOfVersion } from "../../contract/scores/filters.ts";
import type { SessionScore, TraceScore } from "../../domain/scores/score.ts";
import { endpoint } from "../../http/endpoint.ts";
import { connect } from "../../dynamo/database.ts";
import type { ScoreKind } from "../../store/scores/kind.ts";
import { scoreSummaries } from "../../store/scores/summaries.ts";
import { environmentGuard } from "../../wiring/access-guards.ts";

/** Creates the handler that returns statistics of trace scores or session scores by metric. */
export const getScoreSummary = <S extends TraceScore | SessionScore>(
  route: typeof getTraceScoreSummary | typeof getSessionScoreSummary,
  kind: ScoreKind<S>,
) => {
  const database = connect();
  const summaries = scoreSummaries(database, kind);

  return endpoint(route, environmentGuard(database), async ({ project, query }) => {
    const { metric_name: name, ...range } = query;
    requireMetricOfVersion("metric_name", name, range.metric_version);
    return await summaries(project.id, { ...range, name });
  });
};

import type { getSessionScoreSummary, getTraceScoreSummary } from "../../contract/scores/analytics.ts";
import { requireMetricOfVersion } from "../../contract/scores/filters.ts";
import type { SessionScore, TraceScore } from "../../domain/scores/score.ts";
import { unitSummaries } from "../../domain/scores/unit-figures.ts";
import { endpoint } from "../../http/endpoint.ts";
import { connect } from "../../dynamo/database.ts";
import type { ScoreKind } from "../../store/scores/kind.ts";
import { scoreSummaries } from "../../store/scores/summaries.ts";
import { environmentGuard } from "../../wiring/access-guards.ts";
import { countedScores } from "./counted-scores.ts";

/** Creates the handler that returns statistics of trace scores or session scores by metric. */
export const getScoreSummary = <S extends TraceScore | SessionScore>(
  route: typeof getTraceScoreSummary | typeof getSessionScoreSummary,
  kind: ScoreKind<S>,
) => {
  const database = connect();
  const summaries = scoreSummaries(database, kind);
  const splitQuery = countedScores(database, kind);

  return endpoint(route, environmentGuard(database), async ({ project, query }) => {
    const { rest, read } = splitQuery(project, query);
    const { group_by: _, metric_name: name, ...range } = rest;
    requireMetricOfVersion("metric_name", name, range.metric_version);
    const counted = await read({ ...range, name });
    if (counted !== null) return unitSummaries(counted);
    return await summaries(project.id, { ...range, name });
  });
};

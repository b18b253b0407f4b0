import type { getSessionScoreSummary, getTraceScoreSummary } from "../../contract/scores/analytics.ts";
import { checkVersionOf } from "../../contract/scores/filters.ts";
import type { SessionScore, TraceScore } from "../../domain/scores/score.ts";
import { endpoint } from "../../http/endpoint.ts";
import { connect } from "../../store/database.ts";
import type { ScoreKind } from "../../store/scores/kind.ts";
import { scoreSummaries } from "../../store/scores/summaries.ts";
import { environmentGate } from "../../wiring/gates.ts";

/** Sums up the scores of one kind of target. */
export const getScoreSummary = <S extends TraceScore | SessionScore>(
  route: typeof getTraceScoreSummary | typeof getSessionScoreSummary,
  kind: ScoreKind<S>,
) => {
  const database = connect();
  const summaries = scoreSummaries(database, kind);

  return endpoint(route, environmentGate(database), async ({ project, query }) => {
    const { metric_name: name, ...range } = query;
    checkVersionOf("metric_name", name, range.metric_version);
    return await summaries(project.id, { ...range, name });
  });
};

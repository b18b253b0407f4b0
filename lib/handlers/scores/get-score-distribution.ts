import type { getSessionScoreDistribution, getTraceScoreDistribution } from "../../contract/scores/analytics.ts";
import { distributionOf } from "../../domain/scores/distribution.ts";
import type { SessionScore, TraceScore } from "../../domain/scores/score.ts";
import { addStatistics } from "../../domain/scores/statistics.ts";
import { unitDistribution } from "../../domain/scores/unit-figures.ts";
import { endpoint } from "../../http/endpoint.ts";
import { emptyReplyCheck } from "../../http/metrics/unknown-score.ts";
import { connect } from "../../dynamo/database.ts";
import { scoreFigures } from "../../store/scores/figures.ts";
import type { ScoreKind } from "../../store/scores/kind.ts";
import { environmentGuard } from "../../wiring/access-guards.ts";
import { countedScores } from "./counted-scores.ts";

/** Creates the handler that returns a histogram of the score values of one metric. */
export const getScoreDistribution = <S extends TraceScore | SessionScore>(
  route: typeof getTraceScoreDistribution | typeof getSessionScoreDistribution,
  kind: ScoreKind<S>,
) => {
  const database = connect();
  const figures = scoreFigures(database, kind);
  const checkName = emptyReplyCheck(database, kind.target);
  const splitQuery = countedScores(database, kind);

  return endpoint(route, environmentGuard(database), async ({ project, query, warn }) => {
    const { rest, read } = splitQuery(project, query, warn);
    const { group_by: _, metric_name: name, buckets, ...range } = rest;
    const counted = await read({ ...range, name });
    if (counted !== null) return checkName(project.id, name, unitDistribution(counted, buckets), warn);
    const parts = await figures.read(project.id, { ...range, name });
    const distribution = distributionOf(addStatistics(parts.map(({ statistics }) => statistics)), buckets);
    return checkName(project.id, name, distribution, warn);
  });
};

import type { getSessionScoreTrend, getTraceScoreTrend } from "../../contract/scores/analytics.ts";
import type { SessionScore, TraceScore } from "../../domain/scores/score.ts";
import { trendOf } from "../../domain/scores/summary.ts";
import { judgeVerdicts, unitTrend } from "../../domain/scores/unit-figures.ts";
import { endpoint } from "../../http/endpoint.ts";
import { emptyReplyCheck } from "../../http/metrics/unknown-score.ts";
import { connect } from "../../dynamo/database.ts";
import { scoreFigures } from "../../store/scores/figures.ts";
import type { ScoreKind } from "../../store/scores/kind.ts";
import { environmentGuard } from "../../wiring/access-guards.ts";
import { correctionReader } from "../labels/corrections.ts";
import { countedScores, labelledNames } from "./counted-scores.ts";

/** Creates the handler that returns the scores of one metric over time, in buckets of the requested granularity. */
export const getScoreTrend = <S extends TraceScore | SessionScore>(
  route: typeof getTraceScoreTrend | typeof getSessionScoreTrend,
  kind: ScoreKind<S>,
) => {
  const database = connect();
  const figures = scoreFigures(database, kind);
  const checkName = emptyReplyCheck(database, kind.target);
  const splitQuery = countedScores(database, kind);
  const corrections = correctionReader(database);

  return endpoint(route, environmentGuard(database), async ({ project, query, warn }) => {
    const { rest, read } = splitQuery(project, query, warn);
    const { group_by: _, metric_name: name, granularity, corrected, ...range } = rest;
    const counted = await read({ ...range, name }, corrected);
    const correct = await corrections(project.id, corrected, labelledNames(kind.target, counted));
    const buckets =
      counted === null
        ? trendOf(name, await figures.read(project.id, { ...range, name }), granularity)
        : unitTrend(name, counted, granularity, (_, units) => correct(name, judgeVerdicts(units)));
    return checkName(project.id, name, buckets, warn);
  });
};

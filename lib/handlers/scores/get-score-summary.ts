import type { getSessionScoreSummary, getTraceScoreSummary } from "../../contract/scores/analytics.ts";
import { mapConcurrently } from "../../async/concurrency.ts";
import { requireMetricOfVersion } from "../../contract/scores/filters.ts";
import type { SessionScore, TraceScore } from "../../domain/scores/score.ts";
import { markTypes, type ScoreSummary } from "../../domain/scores/summary.ts";
import { judgeVerdicts, unitSummaries } from "../../domain/scores/unit-figures.ts";
import { endpoint } from "../../http/endpoint.ts";
import { emptyReplyCheck } from "../../http/metrics/unknown-score.ts";
import { connect } from "../../dynamo/database.ts";
import type { ScoreKind } from "../../store/scores/kind.ts";
import { scoreTypes } from "../../store/scores/units/types.ts";
import { scoreSummaries } from "../../store/scores/summaries.ts";
import { environmentGuard } from "../../wiring/access-guards.ts";
import { correctionReader } from "../labels/corrections.ts";
import { countedScores, labelledNames } from "./counted-scores.ts";

/** Names of a reply that are marked if they have several data types, and those that are read concurrently. */
const [maxMarked, parallel] = [100, 10];

/** Creates the handler that returns statistics of trace scores or session scores by metric. */
export const getScoreSummary = <S extends TraceScore | SessionScore>(
  route: typeof getTraceScoreSummary | typeof getSessionScoreSummary,
  kind: ScoreKind<S>,
) => {
  const database = connect();
  const summaries = scoreSummaries(database, kind);
  const checkName = emptyReplyCheck(database, kind.target);
  const splitQuery = countedScores(database, kind);
  const typesOf = scoreTypes(database, [kind.target]);
  const corrections = correctionReader(database);

  return endpoint(route, environmentGuard(database), async ({ project, query, warn }) => {
    const { rest, read } = splitQuery(project, query, warn);
    const { group_by: _, metric_name: name, corrected, ...range } = rest;
    requireMetricOfVersion("metric_name", name, range.metric_version);
    const counted = await read({ ...range, name }, corrected);
    const correct = await corrections(project.id, corrected, labelledNames(kind.target, counted));
    const rows =
      counted === null
        ? await summaries(project.id, { ...range, name })
        : unitSummaries(counted, (each, units) => correct(each, judgeVerdicts(units)));
    await checkName(project.id, name, rows, warn);
    const names = [...new Set(rows.map((row) => row.metric_name))].slice(0, maxMarked);
    const mixed = await mapConcurrently(names, parallel, async (each) => {
      const types = await typesOf(project.id, each);
      return [each, types.length > 1] as const;
    });
    return markTypes<ScoreSummary>(rows, new Map(mixed));
  });
};

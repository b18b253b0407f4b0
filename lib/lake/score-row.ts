import { giverOf, rankedVersion } from "../domain/scores/precedence.ts";
import { scoreNumber } from "../domain/scores/number.ts";
import type { TraceScore } from "../domain/scores/score.ts";
import { passes } from "../domain/scores/unit.ts";
import { isStorable } from "../dynamo/storable-number.ts";
import { metricVersionOf } from "../store/scores/newest/newest-codec.ts";
import { sql, Sql } from "./sql.ts";
import type { LakeRow } from "../domain/lake/tables.ts";

/** Returns the row of a trace's score as it is written to the lake: without what depends on other scores, see `rankedScores`. */
export const lakeScoreRow = (
  score: TraceScore,
  incarnation: string | null,
): Omit<LakeRow<"scores">, "row" | "trace_started_at" | "is_newest" | "counts"> => {
  const number = scoreNumber(score);
  return {
    trace_id: score.trace_id,
    score_id: score.id,
    name: score.name,
    value: score.value,
    number: number === null || !isStorable(number) ? null : number,
    data_type: score.data_type,
    status: score.status,
    source: score.source,
    applicable: score.applicable,
    passed: passes(score),
    giver: giverOf(score.source),
    version: rankedVersion(score),
    judge: score.judge?.id ?? null,
    metric_version: metricVersionOf(score) ?? null,
    run_id: score.eval_run_id,
    span_id: score.span_id,
    reason: score.reason,
    created_at: score.created_at,
    updated_at: score.updated_at,
    incarnation,
  };
};

/** The latest value among the newest scores of a giver under the name of a row; null if the giver has none. */
const newestOf = (giver: string, value: string): Sql =>
  new Sql(`max(${value}) FILTER (is_newest AND giver = '${giver}') OVER of_name`);

/** Place of a score among those of its name. */
const place = "struct_pack(at := created_at, id := score_id)";

/**
 * Returns a query for the scores of traces with the trace's number and start, and the marks of the newest scores, as `countingScore`
 * selects them. Scores of other traces are left out.
 *
 * @param scores query for all scores of the traces.
 * @param traces table function of the day's traces.
 */
export const rankedScores = (scores: Sql, traces: Sql): Sql => sql`
  WITH located AS (
    SELECT score.* EXCLUDE (row, trace_started_at, is_newest, counts), trace.row, trace.started_at AS trace_started_at
    FROM (${scores}) AS score JOIN ${traces} AS trace USING (trace_id)
  ), placed AS (
    SELECT *, status = 'SUCCESS' AND row_number() OVER (
      PARTITION BY row, name, giver, status ORDER BY created_at DESC, score_id DESC) = 1 AS is_newest
    FROM located
  ), compared AS (
    SELECT *,
      ${newestOf("person", "version")} AS person_version, ${newestOf("program", "version")} AS program_version,
      ${newestOf("person", place)} AS person_place, ${newestOf("program", place)} AS program_place
    FROM placed WINDOW of_name AS (PARTITION BY row, name)
  )
  SELECT *, is_newest AND CASE
    WHEN person_place IS NULL OR program_place IS NULL THEN true
    WHEN person_version IS NULL OR program_version IS NULL THEN (person_place > program_place) = (giver = 'person')
    ELSE (person_version >= program_version) = (giver = 'person')
  END AS counts
  FROM compared`;

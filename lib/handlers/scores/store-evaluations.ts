import { mapConcurrently } from "../../async/concurrency.ts";
import { derivedUuid } from "../../domain/access/identity.ts";
import { scoreFlaw } from "../../domain/access/key-scope.ts";
import { userIdOf } from "../../domain/access/principal.ts";
import { noIdempotency } from "../../domain/idempotency-check.ts";
import { instantAt } from "../../domain/instant.ts";
import { maskScore } from "../../domain/scores/mask.ts";
import { submittedScore } from "../../domain/scores/submitted-score.ts";
import type { Database } from "../../dynamo/database.ts";
import type { Caller } from "../../http/exchange.ts";
import type { EvaluationResult } from "../../otlp/logs/evaluation-results.ts";

/** Maximum number of evaluation results of one request that become scores. */
const maxResults = 500;

/** Maximum number of scores stored concurrently. */
const parallel = 10;

/**
 * Stores evaluation results as scores of their traces. A result has an id derived from its span and content, so that
 * repeated deliveries, also as a span event and as a log event, are one score.
 *
 * @returns a warning if the caller may not store scores, or if the request has too many results.
 */
export const storeEvaluations = async (
  database: Database,
  { project, principal, keyAccess }: Caller,
  results: readonly EvaluationResult[],
): Promise<readonly string[]> => {
  if (results.length === 0) return [];
  const flaw = scoreFlaw(keyAccess);
  if (flaw !== null)
    return [`Evaluation results kept with their spans and not stored as scores: ${results.length}. ${flaw}`];
  // Few programs send evaluations: the code that stores scores is a file of its own.
  const { scoreCreation } = await import("../../store/scores/creation.ts");
  const scores = scoreCreation(database);
  const maskedResults = results.map((result) => ({
    ...result,
    score: maskScore(project.masking, result.score, result.score.data_type),
  }));
  const resultsById = new Map(
    maskedResults.map((result) => [derivedUuid(project.id, "evaluation-result", JSON.stringify(result)), result]),
  );
  await mapConcurrently([...resultsById].slice(0, maxResults), parallel, ([id, { traceId, spanId, score }]) => {
    const origin = { id, project, author: userIdOf(principal), at: instantAt(Date.now()) };
    const target = { trace_id: traceId, span_id: spanId, config_id: null };
    return scores.ofTrace({ ...submittedScore(score, origin), ...target }, noIdempotency, false);
  });
  return resultsById.size > maxResults
    ? [`Of the evaluation results of a request ${maxResults} become scores; all are kept with their spans.`]
    : [];
};

import { derivedUuid } from "./identity.ts";
import type { JsonObject } from "./json.ts";
import { formatValue, type TraceScore } from "./score.ts";
import type { Instant } from "./trace.ts";

/** What a judge found for one (target, metric) pair of a run; a value of null means that judging failed. */
export interface Judgement {
  readonly value: number | null;
  readonly reason: string | null;
  readonly metadata: JsonObject;
}

/** The id of a run's score: one for each (run, target, metric), whoever computes it and however often. */
export const automatedScoreId = (run: string, target: string, metric: string): string =>
  derivedUuid("score", run, target, metric);

/** The score a judgement becomes. */
export const automatedScore = (
  pair: { readonly projectId: string; readonly runId: string; readonly traceId: string; readonly metric: string },
  judgement: Judgement,
  environment: string | null,
  at: Instant,
): TraceScore => ({
  id: automatedScoreId(pair.runId, pair.traceId, pair.metric),
  trace_id: pair.traceId,
  project_id: pair.projectId,
  name: pair.metric,
  value: judgement.value === null ? null : formatValue(judgement.value),
  data_type: "NUMERIC",
  status: judgement.value === null ? "FAILED" : "SUCCESS",
  source: "AUTOMATED",
  reason: judgement.reason,
  metadata: judgement.metadata,
  eval_run_id: pair.runId,
  author_user_id: null,
  environment,
  config_id: null,
  created_at: at,
  updated_at: at,
});

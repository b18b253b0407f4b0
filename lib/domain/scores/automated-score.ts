import { derivedUuid } from "../access/identity.ts";
import type { JsonObject } from "../json.ts";
import { formatValue, type Score, type SessionScore, type TraceScore } from "./score.ts";
import type { Instant } from "../instant.ts";

/** What a judge found for one (target, metric) pair of a run; a value of null means that judging failed. */
export interface Judgement {
  readonly value: number | null;
  readonly reason: string | null;
  readonly metadata: JsonObject;
}

/** What a run's score is of. */
export interface JudgedPair {
  readonly projectId: string;
  readonly runId: string;
  /** A trace's id or a session's. */
  readonly target: string;
  readonly metric: string;
}

/** The id of a run's score: one for each (run, target, metric), whoever computes it and however often. */
export const automatedScoreId = (run: string, target: string, metric: string): string =>
  derivedUuid("score", run, target, metric);

const automated = ({ projectId, runId, target, metric }: JudgedPair, judgement: Judgement, at: Instant): Score => ({
  id: automatedScoreId(runId, target, metric),
  project_id: projectId,
  name: metric,
  value: judgement.value === null ? null : formatValue(judgement.value),
  data_type: "NUMERIC",
  status: judgement.value === null ? "FAILED" : "SUCCESS",
  source: "AUTOMATED",
  reason: judgement.reason,
  metadata: judgement.metadata,
  eval_run_id: runId,
  author_user_id: null,
  created_at: at,
  updated_at: at,
});

/** The score of a trace that a judgement becomes. @param environment the trace's. */
export const automatedScore = (
  pair: JudgedPair,
  judgement: Judgement,
  environment: string | null,
  at: Instant,
): TraceScore => ({ ...automated(pair, judgement, at), trace_id: pair.target, environment, config_id: null });

/** The score of a session that a judgement becomes. */
export const automatedSessionScore = (pair: JudgedPair, judgement: Judgement, at: Instant): SessionScore => ({
  ...automated(pair, judgement, at),
  session_id: pair.target,
});

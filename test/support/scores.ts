import { randomUUID } from "node:crypto";
import type { TraceScore } from "../../lib/domain/scores/score.ts";

/** A score that a person gave a trace, with some fields replaced. */
export const someScore = (given: Partial<TraceScore> & Pick<TraceScore, "project_id" | "trace_id">): TraceScore => ({
  id: randomUUID(),
  name: "task_completion",
  value: "1.0",
  data_type: "NUMERIC",
  status: "SUCCESS",
  source: "ANNOTATION",
  reason: null,
  metadata: {},
  eval_run_id: null,
  author_user_id: null,
  environment: null,
  config_id: null,
  created_at: "2026-10-01T12:00:00+00:00",
  updated_at: "2026-10-01T12:00:00+00:00",
  ...given,
});

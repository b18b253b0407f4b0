import { randomUUID } from "node:crypto";
import type { SessionScore, TraceScore } from "../../lib/domain/scores/score.ts";

/** A trace score given by a person, with some fields replaced. */
export const someScore = (fields: Partial<TraceScore> & Pick<TraceScore, "project_id" | "trace_id">): TraceScore => ({
  id: randomUUID(),
  external_id: null,
  name: "task_completion",
  value: "1.0",
  data_type: "NUMERIC",
  status: "SUCCESS",
  source: "ANNOTATION",
  reason: null,
  metadata: {},
  eval_run_id: null,
  author_user_id: null,
  judge: null,
  applicable: true,
  inapplicable_code: null,
  original: null,
  evidence: null,
  evidence_dropped: null,
  span_id: null,
  trace_version: null,
  content_version: null,
  trace_started_at: null,
  environment: null,
  config_id: null,
  created_at: "2026-10-01T12:00:00+00:00",
  updated_at: "2026-10-01T12:00:00+00:00",
  ...fields,
});

/** A session score given by a person, with some fields replaced. */
export const someSessionScore = (
  fields: Partial<SessionScore> & Pick<SessionScore, "project_id" | "session_id">,
): SessionScore => {
  const {
    trace_id: _trace,
    environment: _environment,
    config_id: _config,
    span_id: _span,
    trace_version: _version,
    content_version: _contentVersion,
    trace_started_at: _start,
    ...score
  } = someScore({ trace_id: "", project_id: fields.project_id });
  return { ...score, session_version: null, signals: null, ...fields };
};

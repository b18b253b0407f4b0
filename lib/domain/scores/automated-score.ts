import { derivedUuid } from "../access/identity.ts";
import type { JsonObject } from "../json.ts";
import { metricReference } from "../metrics/custom/reference.ts";
import type { Evidence } from "./evidence.ts";
import type { InapplicableCode } from "./inapplicable.ts";
import type { JudgeIdentity } from "./judge-identity.ts";
import { formatValue, type Score, type SessionScore, type SessionSignal, type TraceScore } from "./score.ts";
import type { Instant } from "../instant.ts";
import type { TraceRow } from "../traces/row.ts";

/** What a judgement rests on. */
export interface Grounds {
  readonly judge: JudgeIdentity;
  /** Why the metric does not apply; null where it does. */
  readonly inapplicable: InapplicableCode | null;
  /** Null where nothing was cited of a record, or the record was not shown. */
  readonly evidence: Evidence | null;
  /** Of the trace's row; null where it is no trace that was judged. */
  readonly traceVersion: number | null;
}

/** What a judge found for one (target, metric) pair of a run; a value of null means that judging failed. */
export interface Judgement {
  readonly value: number | null;
  readonly reason: string | null;
  readonly metadata: JsonObject;
  /** Absent where nobody judged: the pair was given up. */
  readonly grounds?: Grounds | undefined;
}

/** What a run's score is of. */
export interface JudgedPair {
  readonly projectId: string;
  readonly runId: string;
  /** A trace's id or a session's. */
  readonly target: string;
  /** A name, or of a project's own metric `name@version`. */
  readonly metric: string;
}

/** The id of a run's score: one for each (run, target, metric), whoever computes it and however often. */
export const automatedScoreId = (run: string, target: string, metric: string): string =>
  derivedUuid("score", run, target, metric);

/** Whether a value says something; null where there is none. */
const appliesTo = ({ value, grounds }: Judgement): boolean | null =>
  value === null || grounds === undefined ? null : grounds.inapplicable === null;

/** Of a metric of a project's own a score says which version it is of. */
const withVersion = (metric: string, metadata: JsonObject): JsonObject => {
  const { version } = metricReference(metric);
  return version === null ? metadata : { ...metadata, metric_version: version };
};

const automated = ({ projectId, runId, target, metric }: JudgedPair, judgement: Judgement, at: Instant): Score => ({
  id: automatedScoreId(runId, target, metric),
  project_id: projectId,
  name: metricReference(metric).name,
  value: judgement.value === null ? null : formatValue(judgement.value),
  data_type: "NUMERIC",
  status: judgement.value === null ? "FAILED" : "SUCCESS",
  source: "AUTOMATED",
  reason: judgement.reason,
  metadata: withVersion(metric, judgement.metadata),
  eval_run_id: runId,
  author_user_id: null,
  judge: judgement.grounds?.judge ?? null,
  applicable: appliesTo(judgement),
  inapplicable_code: judgement.grounds?.inapplicable ?? null,
  original: null,
  evidence: judgement.grounds?.evidence?.cited ?? null,
  evidence_dropped: judgement.grounds?.evidence?.dropped ?? null,
  created_at: at,
  updated_at: at,
});

/** The score of a trace that a judgement becomes. @param trace that was judged. */
export const automatedScore = (
  pair: JudgedPair,
  judgement: Judgement,
  { environment, startedAt }: Pick<TraceRow, "environment" | "startedAt">,
  at: Instant,
): TraceScore => ({
  ...automated(pair, judgement, at),
  trace_id: pair.target,
  environment,
  config_id: null,
  span_id: null,
  trace_version: judgement.grounds?.traceVersion ?? null,
  trace_started_at: judgement.grounds === undefined ? null : startedAt,
});

/** What of a session was judged: null of one that was not. */
interface JudgedSession {
  /** See `sessionVersion`. */
  readonly version: string;
  readonly signals: SessionSignal[];
}

/** The score of a session that a judgement becomes. */
export const automatedSessionScore = (
  pair: JudgedPair,
  judgement: Judgement,
  judged: JudgedSession | null,
  at: Instant,
): SessionScore => ({
  ...automated(pair, judgement, at),
  session_id: pair.target,
  session_version: judged?.version ?? null,
  signals: judged?.signals ?? null,
});

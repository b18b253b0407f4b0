import { derivedUuid } from "../access/identity.ts";
import type { Instant } from "../instant.ts";
import type { JsonObject } from "../json.ts";
import { metricReference } from "../metrics/custom/reference.ts";
import type { TraceRow } from "../traces/row.ts";
import type { Evidence } from "./evidence.ts";
import type { InapplicableCode } from "./inapplicable.ts";
import {
  formatValue,
  type JudgeIdentity,
  type Score,
  type SessionScore,
  type SessionSignal,
  type TraceScore,
} from "./score.ts";

/** The judge of a score, its evidence and the judged version. */
export interface JudgementBasis {
  readonly judge: JudgeIdentity;
  /** Reason why the metric does not apply; null if it does. */
  readonly inapplicable: InapplicableCode | null;
  /** Citations of the judge; null if the judge cited nothing, or was shown no transcript. */
  readonly evidence: Evidence | null;
  /** Category of a nominal metric, empty if the metric does not apply; absent for numbers. */
  readonly category?: string | undefined;
  /** Version of the judged trace's row; null if the target is not a trace. */
  readonly traceVersion: number | null;
}

/** The judge's result for one (target, metric) pair of a run; `value` is null if judging failed. */
export interface Judgement {
  readonly value: number | null;
  readonly reason: string | null;
  readonly metadata: JsonObject;
  /** Judge, evidence and judged version; absent if judging was given up without a judge call. */
  readonly grounds?: JudgementBasis | undefined;
}

/** The pair of a run that a score belongs to. */
export interface JudgedPair {
  readonly projectId: string;
  readonly runId: string;
  /** Id of the target, a trace or session. */
  readonly target: string;
  /** Name of the metric; `name@version` for a custom metric. */
  readonly metric: string;
}

/** Derives the id of a run's score: the same for every attempt to compute the score of a (run, target, metric). */
export const automatedScoreId = (run: string, target: string, metric: string): string =>
  derivedUuid("score", run, target, metric);

/** True if the metric applies to the target; null without a value. */
const appliesTo = ({ value, grounds }: Judgement): boolean | null =>
  value === null || grounds === undefined ? null : grounds.inapplicable === null;

/** Adds the version of a custom metric to the metadata of a score. */
const withVersion = (metric: string, metadata: JsonObject): JsonObject => {
  const { version } = metricReference(metric);
  return version === null ? metadata : { ...metadata, metric_version: version };
};

const automatedFields = (
  { projectId, runId, target, metric }: JudgedPair,
  judgement: Judgement,
  at: Instant,
): Score => ({
  id: automatedScoreId(runId, target, metric),
  external_id: null,
  project_id: projectId,
  name: metricReference(metric).name,
  value: judgement.value === null ? null : (judgement.grounds?.category ?? formatValue(judgement.value)),
  data_type: judgement.grounds?.category === undefined ? "NUMERIC" : "CATEGORICAL",
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

/** Builds the score of a judged trace. */
export const automatedScore = (
  pair: JudgedPair,
  judgement: Judgement,
  { environment, startedAt, contentVersion }: Pick<TraceRow, "environment" | "startedAt" | "contentVersion">,
  at: Instant,
): TraceScore => ({
  ...automatedFields(pair, judgement, at),
  trace_id: pair.target,
  environment,
  config_id: null,
  span_id: null,
  trace_version: judgement.grounds?.traceVersion ?? null,
  // The row may be a later version than the judged one.
  content_version: Math.min(contentVersion, judgement.grounds?.traceVersion ?? contentVersion),
  trace_started_at: judgement.grounds === undefined ? null : startedAt,
});

/** The state of a session that was judged. */
interface JudgedSession {
  /** Version of the session, as `sessionVersion` computes it. */
  readonly version: string;
  readonly signals: SessionSignal[];
}

/** Builds the score of a session. @param judgedSession null if the session was not judged. */
export const automatedSessionScore = (
  pair: JudgedPair,
  judgement: Judgement,
  judgedSession: JudgedSession | null,
  at: Instant,
): SessionScore => ({
  ...automatedFields(pair, judgement, at),
  session_id: pair.target,
  session_version: judgedSession?.version ?? null,
  signals: judgedSession?.signals ?? null,
});

import { createApiKey, getApiKey, listApiKeys, rotateApiKey } from "../../lib/contract/access/api-keys.ts";
import { createCliCode, exchangeCliCode } from "../../lib/contract/access/cli.ts";
import { createInvitation, listInvitations } from "../../lib/contract/access/invitations.ts";
import { acceptInvitation, getMe, listMyInvitations } from "../../lib/contract/access/me.ts";
import { listMembers, updateMember } from "../../lib/contract/access/members.ts";
import {
  createOrganization,
  getOrganization,
  listOrganizations,
  updateOrganization,
} from "../../lib/contract/access/organizations.ts";
import { createProject, getProject, listProjects, updateProject } from "../../lib/contract/access/projects.ts";
import { getHealth } from "../../lib/contract/service.ts";
import { listProviders } from "../../lib/contract/metrics/providers.ts";
import { listSessionMetrics, listTraceMetrics } from "../../lib/contract/metrics/metric-lists.ts";
import {
  createMonitor,
  getMonitor,
  listMonitors,
  pauseMonitor,
  resumeMonitor,
  triggerMonitor,
  updateMonitor,
} from "../../lib/contract/monitors/monitors.ts";
import { listMonitorRuns } from "../../lib/contract/monitors/firings.ts";
import type { Route } from "../../lib/contract/route.ts";
import {
  createSessionBatchRun,
  createSessionRun,
  getSessionRun,
  listSessionRuns,
  listSessionRunScores,
  retrySessionRun,
} from "../../lib/contract/runs/session-runs.ts";
import { getRunTemplate } from "../../lib/contract/runs/template.ts";
import {
  createTraceBatchRun,
  createTraceRun,
  getTraceRun,
  listTraceRuns,
  listTraceRunScores,
  retryTraceRun,
} from "../../lib/contract/runs/trace-runs.ts";
import {
  getSessionScoreDistribution,
  getSessionScoreSummary,
  getSessionScoreTrend,
  getTraceScoreDistribution,
  getTraceScoreSummary,
  getTraceScoreTrend,
} from "../../lib/contract/scores/analytics.ts";
import { compareSessionScores, getSessionScoreHistory } from "../../lib/contract/scores/session-analytics.ts";
import { getSessionScores, listSessionScores } from "../../lib/contract/scores/session-scores.ts";
import {
  createTraceScore,
  getTraceScores,
  listTraceScores,
  updateTraceScore,
} from "../../lib/contract/scores/trace-scores.ts";
import { getSessionAnalytics } from "../../lib/contract/sessions/analytics.ts";
import { deleteSession, getSession, listSessions } from "../../lib/contract/sessions/sessions.ts";
import { getTraceAnalytics } from "../../lib/contract/traces/analytics.ts";
import { createSpans, tagTraces, updateSpan, updateTrace } from "../../lib/contract/traces/changes.ts";
import { deleteTraces } from "../../lib/contract/traces/deletion.ts";
import { createTrace, getTrace, listTraces, listUsers } from "../../lib/contract/traces/traces.ts";
import type { Fields } from "./field-types.ts";

/** A reply that a dashboard of this interface reads. */
interface ReadReply {
  readonly route: Route;
  /** Shape of the reply: the fields themselves, an array of objects with the fields, or a page of such objects. */
  readonly container: "one" | "list" | "page";
  readonly fields: Fields;
  /** Query parameters that select one of several replies of the route. */
  readonly query?: Readonly<Record<string, string>>;
}

const singleReply = (route: Route, fields: Fields): ReadReply => ({ route, container: "one", fields });
const list = (route: Route, fields: Fields, query?: ReadReply["query"]): ReadReply => ({
  route,
  container: "list",
  fields,
  ...(query && { query }),
});
const page = (route: Route, fields: Fields): ReadReply => ({ route, container: "page", fields });

/** Prefixes the paths of nested fields. */
const within = (path: string, fields: Fields): Fields =>
  Object.fromEntries(Object.entries(fields).map(([name, type]) => [`${path}.${name}`, type]));

const traceRow: Fields = {
  trace_id: "uuid",
  name: "text",
  status: "text",
  started_at: "instant",
  ended_at: "instant?",
  session_id: "text?",
  user_id: "text?",
  tags: "texts",
  environment: "text?",
  release: "text?",
  total_tokens: "integer",
  total_cost: "number",
};

const span: Fields = {
  span_id: "uuid",
  trace_id: "uuid",
  parent_span_id: "uuid?",
  name: "text",
  kind: "text",
  status: "text",
  input: "any",
  output: "any",
  model: "text?",
  token_usage: "object?",
  metadata: "object",
  started_at: "instant",
  ended_at: "instant?",
  error: "text?",
  completion_start_time: "instant?",
  model_parameters: "object?",
  cost: "object?",
  latency_ms: "number?",
  time_to_first_token_ms: "number?",
};

const trace: Fields = {
  ...traceRow,
  project_id: "uuid",
  input: "any",
  output: "any",
  metadata: "object",
  spans: "list",
  ...within("spans.0", span),
};

const session: Fields = {
  session_id: "text",
  trace_count: "integer",
  first_trace_at: "instant",
  last_trace_at: "instant?",
  total_latency_ms: "number?",
  has_error: "yes-no",
  user_id: "text?",
  tags: "texts",
  total_span_count: "integer",
  total_tokens: "integer",
  total_cost: "number",
};

const volume: Fields = {
  bucket: "instant",
  trace_count: "integer",
  error_count: "integer",
  avg_latency_ms: "number?",
  p50_latency_ms: "number?",
  p90_latency_ms: "number?",
  p99_latency_ms: "number?",
};

const usage: Fields = {
  bucket: "instant",
  total_tokens: "integer",
  prompt_tokens: "integer",
  completion_tokens: "integer",
  total_cost: "number",
};

const metric: Fields = { name: "text", description: "text", category: "text" };

const run: Fields = {
  id: "uuid",
  name: "text?",
  status: "text",
  metric_names: "texts",
  total_traces: "integer",
  total_targets: "integer",
  evaluated_count: "integer",
  failed_count: "integer",
  created_at: "instant",
  completed_at: "instant?",
  project_id: "uuid",
  target_type: "text",
  filters: "object",
  sampling_rate: "number",
  model: "text?",
  monitor_id: "uuid?",
  error_message: "text?",
};

const score: Fields = {
  id: "uuid",
  project_id: "uuid",
  name: "text",
  data_type: "text",
  value: "text?",
  source: "text",
  status: "text",
  eval_run_id: "uuid?",
  author_user_id: "text?",
  reason: "text?",
  metadata: "object",
  created_at: "instant",
  updated_at: "instant",
};

const traceScore: Fields = { ...score, trace_id: "uuid", environment: "text?", config_id: "text?" };
const sessionScore: Fields = { ...score, session_id: "text" };

const summary: Fields = {
  metric_name: "text",
  avg_score: "number?",
  min_score: "number?",
  max_score: "number?",
  median_score: "number?",
  success_count: "integer",
  failed_count: "integer",
  latest_score_at: "instant",
};

const trend: Fields = { bucket: "instant", metric_name: "text", avg_score: "number", count: "integer" };

const distribution: Fields = { bucket: "integer", bucket_min: "number", bucket_max: "number", count: "integer" };

const monitor: Fields = {
  id: "uuid",
  project_id: "uuid",
  name: "text",
  target_type: "text",
  metric_names: "texts",
  filters: "object",
  sampling_rate: "number",
  model: "text?",
  cadence: "text",
  only_if_changed: "yes-no",
  status: "text",
  last_run_at: "instant?",
  last_run_id: "uuid?",
  next_run_at: "instant?",
  created_at: "instant",
  updated_at: "instant",
};

const organization: Fields = { id: "uuid", name: "text", created_at: "instant" };
const ownOrganization: Fields = { ...organization, role: "text" };

const membership: Fields = {
  id: "uuid",
  user_id: "uuid",
  org_id: "uuid",
  role: "text",
  display_name: "text",
  email: "text",
  created_at: "instant",
};

const invitation: Fields = {
  id: "uuid",
  org_id: "uuid",
  org_name: "text",
  email: "text",
  role: "text",
  status: "text",
  invited_by: "uuid",
  inviter_display_name: "text",
  inviter_email: "text",
  created_at: "instant",
  expires_at: "instant",
};

const project: Fields = { id: "uuid", org_id: "uuid", name: "text", description: "text", created_at: "instant" };

const listedKey: Fields = {
  id: "uuid",
  org_id: "uuid",
  key_prefix: "text",
  name: "text",
  is_active: "yes-no",
  created_at: "instant",
  expires_at: "instant?",
  raw_key: "null",
};
const newKey: Fields = { ...listedKey, raw_key: "text" };

/**
 * Documented fields of the replies that a dashboard reads. They are listed independently of the routes' schemas, so
 * that a renamed field is detected. A reply comes after those that lead to it.
 */
export const dashboardReads: readonly ReadReply[] = [
  singleReply(getHealth, { status: "text", version: "text", environment: "text", timestamp: "instant" }),
  singleReply(getMe, {
    id: "uuid",
    email: "text",
    display_name: "text",
    created_at: "instant",
    last_sign_in_at: "instant?",
  }),
  singleReply(createOrganization, organization),
  list(listOrganizations, ownOrganization),
  singleReply(getOrganization, ownOrganization),
  singleReply(updateOrganization, organization),
  singleReply(createInvitation, invitation),
  list(listInvitations, invitation),
  list(listMyInvitations, invitation),
  singleReply(acceptInvitation, membership),
  list(listMembers, membership),
  singleReply(updateMember, membership),
  singleReply(createProject, project),
  list(listProjects, project),
  singleReply(getProject, project),
  singleReply(updateProject, project),
  singleReply(createApiKey, newKey),
  list(listApiKeys, listedKey),
  singleReply(getApiKey, listedKey),
  singleReply(rotateApiKey, newKey),
  singleReply(createCliCode, { code: "text", expires_in: "integer" }),
  singleReply(exchangeCliCode, {
    api_key: "text",
    project_name: "text",
    org_id: "uuid",
    key_id: "uuid",
    key_prefix: "text",
    expires_at: "instant",
  }),
  singleReply(createTrace, { trace_id: "uuid", task_id: "uuid" }),
  page(listTraces, { ...traceRow, latency_ms: "number?", span_count: "integer" }),
  singleReply(getTrace, trace),
  singleReply(updateTrace, trace),
  singleReply(createSpans, { span_ids: "texts" }),
  singleReply(updateSpan, span),
  page(listUsers, {
    user_id: "text",
    trace_count: "integer",
    first_seen: "instant",
    last_seen: "instant",
    error_count: "integer",
  }),
  list(getTraceAnalytics, volume, { metric: "volume" }),
  list(getTraceAnalytics, volume, { metric: "errors" }),
  list(getTraceAnalytics, volume, { metric: "latency" }),
  list(getTraceAnalytics, usage, { metric: "cost" }),
  list(getTraceAnalytics, usage, { metric: "tokens" }),
  list(
    getTraceAnalytics,
    { model: "text", call_count: "integer", total_tokens: "integer", total_cost: "number" },
    { metric: "models" },
  ),
  singleReply(tagTraces, { updated: "integer" }),
  page(listSessions, session),
  singleReply(getSession, { ...session, traces: "list", ...within("traces.0", trace) }),
  list(getSessionAnalytics, {
    bucket: "instant",
    session_count: "integer",
    avg_traces_per_session: "number",
    avg_session_duration_ms: "number?",
  }),
  list(listProviders, { key: "text", name: "text", description: "text", available: "yes-no", message: "text" }),
  list(listTraceMetrics, metric),
  list(listSessionMetrics, metric),
  singleReply(getRunTemplate, {
    ...within("metric", metric),
    "metric.default_threshold": "number",
    "metric.prompt_preview": "list",
    "metric.prompt_preview.0.stage": "text",
    "metric.prompt_preview.0.prompt": "text",
    ...within("filters", {
      date_from: "null",
      date_to: "null",
      status: "null",
      session_id: "null",
      user_id: "null",
      tags: "null",
      name: "null",
    }),
    sampling_rate: "number",
    model: "text",
  }),
  singleReply(createTraceRun, run),
  singleReply(createTraceBatchRun, run),
  page(listTraceRuns, run),
  singleReply(getTraceRun, run),
  list(listTraceRunScores, traceScore),
  singleReply(retryTraceRun, run),
  singleReply(createSessionRun, run),
  singleReply(createSessionBatchRun, run),
  page(listSessionRuns, run),
  singleReply(getSessionRun, run),
  list(listSessionRunScores, sessionScore),
  singleReply(retrySessionRun, run),
  singleReply(createTraceScore, traceScore),
  page(listTraceScores, traceScore),
  list(getTraceScores, traceScore),
  singleReply(updateTraceScore, traceScore),
  page(listSessionScores, sessionScore),
  list(getSessionScores, sessionScore),
  list(getTraceScoreSummary, summary),
  list(getTraceScoreTrend, trend),
  list(getTraceScoreDistribution, distribution),
  list(getSessionScoreSummary, summary),
  list(getSessionScoreTrend, trend),
  list(getSessionScoreDistribution, distribution),
  list(getSessionScoreHistory, {
    metric_name: "text",
    score: "number?",
    eval_run_id: "uuid?",
    created_at: "instant",
    status: "text",
  }),
  page(compareSessionScores, {
    session_id: "text",
    score: "number?",
    evaluated_at: "instant",
    eval_run_id: "uuid?",
  }),
  singleReply(createMonitor, monitor),
  page(listMonitors, monitor),
  singleReply(getMonitor, monitor),
  singleReply(updateMonitor, monitor),
  singleReply(pauseMonitor, { ...monitor, next_run_at: "null" }),
  singleReply(resumeMonitor, { ...monitor, next_run_at: "instant" }),
  singleReply(triggerMonitor, { ...run, monitor_id: "uuid" }),
  page(listMonitorRuns, { ...run, monitor_id: "uuid" }),
  singleReply(deleteTraces, { deleted: "integer" }),
  singleReply(deleteSession, { deleted: "integer" }),
];

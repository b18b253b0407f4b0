import { randomUUID } from "node:crypto";
import { setTimeout as wait } from "node:timers/promises";
import { beforeAll, describe, expect, inject, test } from "vitest";
import { createCustomMetric } from "../../../../lib/contract/metrics/custom-metrics.ts";
import { createMonitor, triggerMonitor } from "../../../../lib/contract/monitors/monitors.ts";
import type { Route } from "../../../../lib/contract/route.ts";
import { routes } from "../../../../lib/contract/routes.ts";
import { createSessionBatchRun, createSessionRun } from "../../../../lib/contract/runs/session-runs.ts";
import { createTraceBatchRun, createTraceRun } from "../../../../lib/contract/runs/trace-runs.ts";
import { createSessionScore, listSessionScores } from "../../../../lib/contract/scores/session-scores.ts";
import { createTraceScore, listTraceScores } from "../../../../lib/contract/scores/trace-scores.ts";
import { sessionFilters } from "../../../../lib/contract/sessions/filters.ts";
import { traceFilters } from "../../../../lib/contract/traces/filters.ts";
import { listSessions } from "../../../../lib/contract/sessions/sessions.ts";
import { updateTrace } from "../../../../lib/contract/traces/changes.ts";
import { createTrace, listTraces } from "../../../../lib/contract/traces/traces.ts";
import { sessionSortColumns } from "../../../../lib/domain/sessions/session.ts";
import { withoutKeys } from "../../../../lib/domain/json.ts";
import { traceSortColumns } from "../../../../lib/domain/traces/sort.ts";
import { endedRun } from "../../../support/runs/ended-run.ts";
import { type Client, requestTimeout } from "../../../support/service/client.ts";
import { declaringProject } from "../../../support/service/declaring-project.ts";
import { eventually } from "../../../support/service/local-fixture.ts";
import { people } from "../../../support/users.ts";
import { sample } from "../../../support/sample.ts";

const { organization } = people();
let project: Client;

const spanId = randomUUID();

/** Four traces that differ in every field that filters use: one alone in a session, two in another, one without. */
const [alpha, beta] = [
  {
    trace_id: randomUUID(),
    name: "Alpha flow",
    started_at: "2026-10-01T10:00:00.000000+00:00",
    ended_at: "2026-10-01T10:00:02.000000+00:00",
    status: "ERROR",
    session_id: "session-a",
    user_id: "user-a",
    tags: ["tag-a"],
    environment: "environment-a",
    release: "release-a",
    metadata: { tier: "gold" },
    spans: [
      { span_id: spanId, name: "lookup", kind: "TOOL", started_at: "2026-10-01T10:00:00.000000+00:00" },
      {
        name: "think",
        kind: "LLM",
        model: "model-a",
        token_usage: { prompt_tokens: 100 },
        cost: { total: 2 },
        started_at: "2026-10-01T10:00:01.000000+00:00",
        error: "error-a",
        metadata: {
          "otel.prompt_name": "prompt-a",
          "otel.prompt_version": "7",
          "otel.experiment": "experiment-a",
          "otel.experiment_item": "item-a",
        },
      },
    ],
  },
  {
    trace_id: randomUUID(),
    name: "Beta flow",
    started_at: "2026-10-12T10:00:00.000000+00:00",
    ended_at: "2026-10-12T10:00:01.000000+00:00",
    session_id: "session-b",
    user_id: "user-b",
    tags: ["tag-b"],
    environment: "environment-b",
    release: "release-b",
    metadata: { tier: "silver" },
  },
] as const;
const second = { ...beta, trace_id: randomUUID(), name: "Beta again", started_at: "2026-10-12T11:00:00.000000+00:00" };
const gammaTrace = { trace_id: randomUUID(), name: "Gamma", started_at: "2026-10-12T12:00:00.000000+00:00" };

/** Ids and instants that are known only after the data is created. */
const knownValues: Record<string, string> = {};

beforeAll(async () => {
  project = await declaringProject(inject("service"), organization, ["tier"]);
  for (const body of [alpha, beta, second, gammaTrace]) await project.answer(createTrace, { body });
  const judged = ["task_completion"];
  const { id: traceRun } = await project.answer(createTraceBatchRun, {
    body: { trace_ids: [alpha.trace_id], metrics: judged },
  });
  const { id: sessionRun } = await project.answer(createSessionBatchRun, {
    body: { session_ids: [alpha.session_id], metrics: ["agent_reliability"] },
  });
  await endedRun(project, { id: traceRun });
  await endedRun(project, { id: sessionRun });
  // Instants of creation have milliseconds: the next entities must have later ones.
  await wait(5);
  const scoreBody = { name: "solved", value: "true", data_type: "BOOLEAN", source: "PROGRAMMATIC" };
  const ofTrace = await project.answer(createTraceScore, { body: { ...scoreBody, trace_id: beta.trace_id } });
  const ofSession = await project.answer(createSessionScore, { body: { ...scoreBody, session_id: beta.session_id } });
  await wait(5);
  const numeric = { name: "rating", value: "0.55" };
  const rated = await project.answer(createTraceScore, { body: { ...numeric, trace_id: beta.trace_id } });
  const ratedSession = await project.answer(createSessionScore, { body: { ...numeric, session_id: beta.session_id } });
  await project.answer(createSessionScore, { body: { name: "rating", value: "0.1", session_id: alpha.session_id } });
  const about = { span_id: spanId, metadata: { success: true } };
  await project.answer(createTraceScore, { body: { ...numeric, ...about, trace_id: alpha.trace_id, name: "span" } });
  await project.answer(createSessionScore, {
    body: { ...numeric, name: "passed", session_id: beta.session_id, metadata: { success: true } },
  });
  const monitor = { target_type: "TRACE", metrics: judged, cadence: "daily" };
  await project.answer(createMonitor, { body: { ...monitor, name: "watch" } });
  for (const target_type of ["TRACE", "SESSION"] as const) {
    const name = `own_${target_type.toLowerCase()}`;
    await project.answer(createCustomMetric, { body: { name, target_type, description: "Evaluates something." } });
  }
  Object.assign(knownValues, { traceRun, sessionRun, solvedAt: ofTrace.created_at, ratedAt: rated.created_at });
  const byRun = { traceJudge: [listTraceScores, traceRun], sessionJudge: [listSessionScores, sessionRun] } as const;
  for (const [name, [route, run]] of Object.entries(byRun)) {
    const { items } = await project.answer(route, { query: { eval_run_id: run } });
    knownValues[name] = items.find(({ judge }) => judge !== null)?.judge?.version ?? "";
  }
  // The judged output is replaced, so that its scores are stale.
  await project.answer(updateTrace, { params: { trace_id: alpha.trace_id }, body: { output: "changed" } });
  const [first] = (await project.answer(listTraceScores, { query: { eval_run_id: traceRun } })).items;
  Object.assign(knownValues, { span: spanId, model: first?.judge?.model });
  // The newest scores lag writes by seconds.
  const waitForScores = (route: typeof listTraces | typeof listSessions, score: string, count: number) =>
    eventually(async () => (await project.answer(route, { query: { score } })).total === count || undefined);
  await waitForScores(listTraces, "rating>0.5", 1);
  await waitForScores(listSessions, "rating>0", 2);
  await waitForScores(listSessions, "solved=true", 1);
  Object.assign(knownValues, { sessionSolvedAt: ofSession.created_at, sessionRatedAt: ratedSession.created_at });
});

type Item = Readonly<Record<string, unknown>>;
type Query = Readonly<Record<string, string>>;

/** Effect of a list's parameter: the list has exactly those items for which `keeps` is true. */
interface Narrowing {
  /** Name of the query parameter, where it differs from the key of the table. */
  readonly as?: string;
  readonly value: () => string;
  readonly keeps: (item: Item) => boolean;
}

const atLeast =
  (field: string, minimum: number) =>
  (item: Item): boolean =>
    item[field] !== null && Number(item[field]) >= minimum;

const is =
  (field: string, value: unknown) =>
  (item: Item): boolean =>
    item[field] === value;

const narrowing = (value: string | (() => string), keeps: (item: Item) => boolean): Narrowing => ({
  value: typeof value === "string" ? () => value : value,
  keeps,
});

const modelOf = (judge: unknown): unknown =>
  typeof judge === "object" && judge !== null && "model" in judge ? judge.model : undefined;

const judgedBy = (name: string): Narrowing => ({
  value: () => knownValues[name] ?? "",
  keeps: ({ judge }) =>
    typeof judge === "object" && judge !== null && "version" in judge && judge.version === knownValues[name],
});

const since = (field: string, name: string): Narrowing => ({
  value: () => knownValues[name] ?? "",
  keeps: (item) => String(item[field]) >= (knownValues[name] ?? ""),
});

const before = (field: string, name: string): Narrowing => ({
  value: () => knownValues[name] ?? "",
  keeps: (item) => String(item[field]) < (knownValues[name] ?? ""),
});

const isAlpha = is("user_id", alpha.user_id);
const isBeta = is("user_id", beta.user_id);

/** The number that ranges of score values compare. */
const numberOf = ({ data_type, value, applicable }: Item): number => {
  if (value === null || applicable === false || data_type === "CATEGORICAL") return Number.NaN;
  return data_type === "BOOLEAN" ? Number(value === "true") : Number(value);
};

const ofContent = {
  model: {
    value: () => knownValues["model"] ?? "",
    keeps: ({ judge }: Item) => knownValues["model"] === modelOf(judge),
  },
  min_value: narrowing("0.5", (item) => numberOf(item) >= 0.5),
  max_value: narrowing("0.5", (item) => numberOf(item) <= 0.5),
  success: narrowing("true", ({ metadata }) => (metadata as Item)["success"] === true),
  applicable: narrowing("false", is("applicable", false)),
  stale: narrowing("true", is("stale", true)),
};

const day = "2026-10-05T00:00:00.000000+00:00";

/** Narrowings by what the spans of one trace say of its prompt and experiment. */
const ofProvenance = (keeps: (item: Item) => boolean): Readonly<Record<string, Narrowing>> => ({
  prompt_name: narrowing("prompt-a", keeps),
  prompt_version: narrowing("7", keeps),
  experiment: narrowing("experiment-a", keeps),
  experiment_item_id: narrowing("item-a", keeps),
  first_error: narrowing("error-a", keeps),
});

/** Effects of the filters of traces on lists of scores: those of the first trace or of its session, or all others. */
const ofTraces = (isOfAlpha: (item: Item) => boolean): Readonly<Record<string, Narrowing>> => {
  const isOther = (item: Item): boolean => !isOfAlpha(item);
  return {
    user_id: narrowing(alpha.user_id, isOfAlpha),
    tags: narrowing("tag-a", isOfAlpha),
    trace_status: narrowing("ERROR", isOfAlpha),
    trace_name: narrowing("LPHA", isOfAlpha),
    started_after: narrowing(day, isOther),
    started_before: narrowing(day, isOfAlpha),
    has_error: narrowing("true", isOfAlpha),
    has_failed_span: narrowing("true", isOfAlpha),
    ...ofProvenance(isOfAlpha),
    min_latency_ms: narrowing("1500", isOfAlpha),
    max_latency_ms: narrowing("1500", isOther),
    min_cost: narrowing("0.5", isOfAlpha),
    max_cost: narrowing("0.5", isOther),
    min_tokens: narrowing("100", isOfAlpha),
    max_tokens: narrowing("99", isOther),
    trace_model: narrowing("model-a", isOfAlpha),
    tool: narrowing("lookup", isOfAlpha),
    release: narrowing(alpha.release, isOfAlpha),
    has_session: narrowing("false", () => false),
    metadata: { ...narrowing("gold", isOfAlpha), as: "metadata.tier" },
    score: narrowing("rating>0.5", isOther),
    no_score: narrowing("task_completion", isOther),
  };
};

/** The effect of each parameter of each list. */
const lists: Readonly<Record<string, Readonly<Record<string, Narrowing>>>> = {
  listTraces: {
    user_id: narrowing(alpha.user_id, is("user_id", alpha.user_id)),
    session_id: narrowing(alpha.session_id, is("session_id", alpha.session_id)),
    tags: narrowing("tag-a", is("name", alpha.name)),
    status: narrowing("ERROR", is("status", "ERROR")),
    name: narrowing("LPHA", is("name", alpha.name)),
    started_after: narrowing(day, ({ started_at: at }) => String(at) >= day),
    started_before: narrowing(day, ({ started_at: at }) => String(at) < day),
    has_error: narrowing("true", is("name", alpha.name)),
    has_failed_span: narrowing("true", is("has_failed_span", true)),
    min_latency_ms: narrowing("1500", atLeast("latency_ms", 1500)),
    max_latency_ms: narrowing("1500", is("latency_ms", 1000)),
    min_cost: narrowing("0.5", atLeast("total_cost", 0.5)),
    max_cost: narrowing("0.5", is("total_cost", 0)),
    min_tokens: narrowing("100", atLeast("total_tokens", 100)),
    max_tokens: narrowing("99", is("total_tokens", 0)),
    model: narrowing("model-a", is("name", alpha.name)),
    tool: narrowing("lookup", is("name", alpha.name)),
    release: narrowing(alpha.release, is("release", alpha.release)),
    environment: narrowing(alpha.environment, is("environment", alpha.environment)),
    has_session: narrowing("false", is("session_id", null)),
    ...ofProvenance(is("name", alpha.name)),
    q: narrowing('"Error A"', is("name", alpha.name)),
    metadata: { ...narrowing("gold", is("name", alpha.name)), as: "metadata.tier" },
    score: narrowing("rating>0.5", is("trace_id", beta.trace_id)),
    no_score: narrowing("rating", ({ trace_id: id }) => id !== beta.trace_id),
  },
  listSessions: {
    user_id: narrowing(alpha.user_id, is("user_id", alpha.user_id)),
    tags: narrowing("tag-a", is("session_id", alpha.session_id)),
    query: narrowing("ION-A", is("session_id", alpha.session_id)),
    has_error: narrowing("true", is("has_error", true)),
    has_failed_span: narrowing("true", is("has_failed_span", true)),
    started_after: narrowing(day, ({ first_trace_at: at }) => String(at) >= day),
    started_before: narrowing(day, ({ first_trace_at: at }) => String(at) < day),
    min_latency_ms: narrowing("2000", atLeast("total_latency_ms", 2000)),
    max_latency_ms: narrowing("1500", is("total_latency_ms", 1000)),
    min_cost: narrowing("0.5", atLeast("total_cost", 0.5)),
    max_cost: narrowing("0.5", is("total_cost", 0)),
    min_tokens: narrowing("100", atLeast("total_tokens", 100)),
    max_tokens: narrowing("99", is("total_tokens", 0)),
    model: narrowing("model-a", is("session_id", alpha.session_id)),
    tool: narrowing("lookup", is("session_id", alpha.session_id)),
    release: narrowing(alpha.release, is("session_id", alpha.session_id)),
    environment: narrowing(alpha.environment, is("session_id", alpha.session_id)),
    ...ofProvenance(is("session_id", alpha.session_id)),
    metadata: { ...narrowing("gold", is("session_id", alpha.session_id)), as: "metadata.tier" },
    score: narrowing("rating>0.5", is("session_id", beta.session_id)),
    no_score: narrowing("solved", is("session_id", alpha.session_id)),
  },
  listUsers: {
    user_id: narrowing(alpha.user_id, isAlpha),
    session_id: narrowing(alpha.session_id, isAlpha),
    tags: narrowing("tag-a", isAlpha),
    status: narrowing("ERROR", isAlpha),
    name: narrowing("LPHA", isAlpha),
    started_after: narrowing(day, isBeta),
    started_before: narrowing(day, isAlpha),
    has_error: narrowing("true", isAlpha),
    has_failed_span: narrowing("true", isAlpha),
    min_latency_ms: narrowing("1500", isAlpha),
    // One trace of the other session ends before it starts, so its total latency would differ.
    max_latency_ms: narrowing("0.5", () => false),
    min_cost: narrowing("0.5", isAlpha),
    max_cost: narrowing("0.5", isBeta),
    min_tokens: narrowing("100", isAlpha),
    max_tokens: narrowing("99", isBeta),
    model: narrowing("model-a", isAlpha),
    tool: narrowing("lookup", isAlpha),
    release: narrowing(alpha.release, isAlpha),
    environment: narrowing(alpha.environment, isAlpha),
    has_session: narrowing("false", () => false),
    ...ofProvenance(isAlpha),
    metadata: { ...narrowing("gold", isAlpha), as: "metadata.tier" },
    score: narrowing("task_completion>=0", isAlpha),
    no_score: narrowing("task_completion", isBeta),
  },
  listTraceRuns: { status: narrowing("FAILED", is("status", "FAILED")) },
  listSessionRuns: { status: narrowing("FAILED", is("status", "FAILED")) },
  listTraceScores: {
    ...ofTraces(is("trace_id", alpha.trace_id)),
    session_id: narrowing(alpha.session_id, is("trace_id", alpha.trace_id)),
    trace_id: narrowing(alpha.trace_id, is("trace_id", alpha.trace_id)),
    name: narrowing("rating", is("name", "rating")),
    source: narrowing("PROGRAMMATIC", is("source", "PROGRAMMATIC")),
    status: narrowing("FAILED", is("status", "FAILED")),
    eval_run_id: narrowing(
      () => knownValues["traceRun"] ?? "",
      (item) => item["eval_run_id"] === knownValues["traceRun"],
    ),
    data_type: narrowing("BOOLEAN", is("data_type", "BOOLEAN")),
    environment: narrowing(alpha.environment, is("environment", alpha.environment)),
    judge: judgedBy("traceJudge"),
    ...ofContent,
    model: { ...ofContent.model, value: () => `offline/${knownValues["model"]}` },
    span_id: {
      value: () => knownValues["span"] ?? "",
      keeps: (item) => item["span_id"] === knownValues["span"],
    },
    date_from: since("created_at", "ratedAt"),
    date_to: before("created_at", "ratedAt"),
  },
  listSessionScores: {
    ...ofTraces(is("session_id", alpha.session_id)),
    environment: narrowing(alpha.environment, is("session_id", alpha.session_id)),
    session_id: narrowing(alpha.session_id, is("session_id", alpha.session_id)),
    name: narrowing("solved", is("name", "solved")),
    source: narrowing("PROGRAMMATIC", is("source", "PROGRAMMATIC")),
    status: narrowing("FAILED", is("status", "FAILED")),
    eval_run_id: narrowing(
      () => knownValues["sessionRun"] ?? "",
      (item) => item["eval_run_id"] === knownValues["sessionRun"],
    ),
    judge: judgedBy("sessionJudge"),
    ...ofContent,
    model: { value: () => "agent_reliability", keeps: ({ judge }) => modelOf(judge) === "agent_reliability" },
    date_from: since("created_at", "sessionRatedAt"),
    date_to: before("created_at", "sessionRatedAt"),
  },
  listMonitors: { status: narrowing("PAUSED", is("status", "PAUSED")) },
  listOwnMetrics: { target_type: narrowing("SESSION", is("target_type", "SESSION")) },
};

/** Effect of a parameter that is not of a list: with `value`, the reply differs from that of the other query alone. */
type Difference = readonly [rest: Query, value: string];

const scoreRange = (otherQuery: Query = {}): Readonly<Record<string, Difference>> => ({
  date_from: [otherQuery, "2100-01-01"],
  date_to: [otherQuery, "2001-01-01"],
});
const rating: Query = { metric_name: "rating" };
const figures = { ...scoreRange(rating), metric_name: [rating, "nobody"] } as const;
const traceRange: Readonly<Record<string, Difference>> = {
  started_after: [{ started_after: "2026-10-01", started_before: "2026-10-20" }, day],
  started_before: [{ started_after: "2026-10-01", started_before: "2026-10-20" }, day],
  granularity: [{ started_after: "2026-10-01", started_before: "2026-10-20", granularity: "hour" }, "week"],
};

/** A range with all traces, in which each of the other filters changes the figures. */
const october: Query = { started_after: "2026-10-01", started_before: "2026-10-20" };
const choices: Readonly<Record<string, Difference>> = {
  user_id: [october, alpha.user_id],
  session_id: [october, alpha.session_id],
  tags: [october, "tag-a"],
  status: [october, "ERROR"],
  name: [october, "alpha"],
  has_error: [october, "true"],
  has_failed_span: [october, "true"],
  min_latency_ms: [october, "1500"],
  max_latency_ms: [october, "1500"],
  min_cost: [october, "0.5"],
  max_cost: [october, "0.5"],
  min_tokens: [october, "100"],
  max_tokens: [october, "99"],
  model: [october, "model-a"],
  tool: [october, "lookup"],
  release: [october, alpha.release],
  environment: [october, alpha.environment],
  prompt_name: [october, "prompt-a"],
  prompt_version: [october, "7"],
  experiment: [october, "experiment-a"],
  experiment_item_id: [october, "item-a"],
  first_error: [october, "error-a"],
  metadata: [{ ...october, "metadata.tier": "gold" }, "silver"],
  score: [october, "rating>0.5"],
  no_score: [october, "rating"],
};

/** Filters that leave the first trace and its session out of the figures of scores. */
const choicesOfScores = (otherQuery: Query): Readonly<Record<string, Difference>> => {
  const base = { ...otherQuery, started_after: october["started_after"] ?? "" };
  return {
    started_after: [{ ...otherQuery, started_before: "2026-10-20" }, day],
    started_before: [base, "2026-10-01"],
    user_id: [base, beta.user_id],
    session_id: [base, beta.session_id],
    tags: [base, "tag-b"],
    trace_status: [base, "RUNNING"],
    trace_name: [base, "beta"],
    trace_model: [base, "nobody"],
    has_error: [base, "false"],
    has_failed_span: [base, "false"],
    prompt_name: [base, "nobody"],
    prompt_version: [base, "nobody"],
    experiment: [base, "nobody"],
    experiment_item_id: [base, "nobody"],
    first_error: [base, "nobody"],
    has_session: [base, "false"],
    min_latency_ms: [base, "2500"],
    max_latency_ms: [base, "1500"],
    min_cost: [base, "5"],
    max_cost: [base, "0.5"],
    min_tokens: [base, "200"],
    max_tokens: [base, "99"],
    tool: [base, "nobody"],
    release: [base, beta.release],
    environment: [base, beta.environment],
    metadata: [{ ...base, "metadata.tier": "gold" }, "silver"],
    score: [base, "rating>0.5"],
    no_score: [base, "task_completion"],
    group_by: [base, "release"],
    source: [base, "AUTOMATED"],
  };
};
const ofSpan: Query = { metric_name: "span" };
const ofReleases: Query = { ...ofSpan, baseline: `release:${alpha.release}`, candidate: `release:${beta.release}` };
const { group_by: _groupBy, ...choicesOfComparison } = choicesOfScores(ofReleases);

const differences: Readonly<Record<string, Readonly<Record<string, Difference>>>> = {
  getTraceAnalytics: {
    ...traceRange,
    ...choices,
    has_session: [october, "false"],
    metric: [{ started_after: "2026-10-01", started_before: "2026-10-20" }, "cost"],
  },
  getSessionAnalytics: { ...traceRange, ...choices, has_session: [october, "false"] },
  getRunTemplate: { metric: [{ metric: "coherence" }, "confidence"] },
  getRunTemplateShort: { metric: [{ metric: "coherence" }, "confidence"] },
  getTraceScoreSummary: { ...scoreRange(), ...choicesOfScores({}) },
  getSessionScoreSummary: { ...scoreRange(), ...choicesOfScores({}) },
  getTraceScoreTrend: { ...figures, ...choicesOfScores(ofSpan) },
  getSessionScoreTrend: { ...figures, ...choicesOfScores(rating) },
  getTraceScoreDistribution: { ...figures, ...choicesOfScores(ofSpan), buckets: [rating, "2"] },
  getSessionScoreDistribution: { ...figures, ...choicesOfScores(rating), buckets: [rating, "2"] },
  compareTraceScores: {
    ...choicesOfComparison,
    metric_name: [{ ...ofReleases, metric_name: "span" }, "rating"],
    baseline: [ofReleases, `release:${beta.release}`],
    candidate: [ofReleases, `release:${alpha.release}`],
    max_drop: [ofReleases, "0.2"],
    date_from: [ofReleases, "2100-01-01"],
    date_to: [ofReleases, "2001-01-01"],
  },
  getSessionScoreHistory: { metric_name: [{}, "nobody"] },
  compareSessionScores: { metric_name: [rating, "nobody"], sort_order: [rating, "desc"] },
};

/** Parameters that other tests cover, in the files that the comments name. */
const testedElsewhere: Readonly<Record<string, readonly string[]>> = {
  // test/api/traces/value-counts.test.ts: only beside a metric
  getTraceAnalytics: ["by"],
  // test/api/runs/batch-runs.test.ts, trace-run-settings.test.ts, session-runs.test.ts
  createTraceRun: ["dry_run"],
  createTraceBatchRun: ["dry_run"],
  createSessionRun: ["dry_run"],
  createSessionBatchRun: ["dry_run"],
  // test/api/slow/monitors/monitors.test.ts
  triggerMonitor: ["dry_run", "max_cost_usd"],
  // test/api/datasets/datasets.test.ts
  listDatasets: ["name"],
  // test/api/exports/exports.test.ts
  listExportDays: ["started_after", "started_before"],
  // test/api/access/repricings.test.ts
  createRepricing: ["dry_run"],
  // test/api/scores/random-lists.test.ts, analytics.test.ts: only beside a name
  listTraceScores: ["metric_version"],
  listSessionScores: ["metric_version"],
  // test/api/metrics/custom-metric-sources.test.ts
  createOwnMetric: ["dry_run"],
  updateOwnMetric: ["dry_run"],
  importOwnMetric: ["dry_run"],
  listGalleryMetrics: ["target_type"],
  // test/api/slow/metrics/custom-preview.test.ts
  previewOwnMetric: ["dry_run"],
  // test/api/runs/deletion.test.ts
  deleteTraceRun: ["delete_scores"],
  deleteSessionRun: ["delete_scores"],
  // test/api/scores/analytics.test.ts: at the first hour of a Monday an hour, a day and a week begin together.
  getTraceScoreTrend: ["granularity", "judge", "metric_version", "corrected"],
  getSessionScoreTrend: ["granularity", "judge", "metric_version", "corrected"],
  // In analytics.test.ts too, by judge and by version.
  getTraceScoreSummary: ["judge", "metric_name", "metric_version", "corrected"],
  getSessionScoreSummary: ["judge", "metric_name", "metric_version", "corrected"],
  getTraceScoreDistribution: ["judge", "metric_version"],
  getSessionScoreDistribution: ["judge", "metric_version"],
  // Beside the figures of one version, with which they share the reading of scores.
  compareTraceScores: ["judge", "metric_version", "corrected"],
  getSessionScoreHistory: ["judge", "metric_version"],
  compareSessionScores: ["judge", "metric_version"],
  // test/api/runs/trace-run-lists.test.ts: both routes have one handler.
  listTraceRuns: ["date_from", "date_to"],
  listSessionRuns: ["date_from", "date_to"],
  // test/api/traces/bad-day.test.ts; test/api/scores/people-first.test.ts: only beside scores
  listTraces: ["include", "source"],
  listSessions: ["include", "source"],
  // test/api/traces/large-answers.test.ts
  getTrace: ["fields"],
  // test/api/traces/changes.test.ts
  listSpans: ["fields"],
  // test/api/slow/every-route/decisions.test.ts
  getSession: ["fields", "id"],
  deleteSession: ["id"],
  // test/api/traces/erase-user.test.ts
  eraseUser: ["user_id"],
  exportUser: ["user_id"],
  // test/api/slow/monitors/stopped.test.ts
  listAlerts: ["state"],
  // test/api/langfuse/datasets.test.ts
  listLangfuseDatasets: ["page"],
  listLangfuseDatasetItems: ["datasetName", "version", "page"],
  // test/api/datasets/experiments.test.ts
  listExperiments: ["name"],
  compareExperiments: ["baseline", "metric_name", "max_drop", "corrected"],
  createExperimentRun: ["dry_run"],
  // test/api/labels/trust.test.ts
  listLabelItems: ["cell", "metric", "judge"],
  getTrust: ["metric", "judge"],
  // test/api/labels/corrected-rates.test.ts
  evaluateGate: ["corrected"],
  // test/api/langsmith/runs.test.ts
  listLangsmithSessions: ["name"],
  // test/api/access/projects-and-keys.test.ts
  deleteApiKey: ["permanent"],
  // test/api/access/key-makers.test.ts
  removeMember: ["keys"],
};

/** Parameters of paging and sorting, which every list has. */
const pagingParameters = new Set(["limit", "offset", "cursor", "sort_by", "sort_metric"]);

const entriesOf = ({ query }: Route): readonly string[] =>
  Object.keys((query as { readonly entries?: object } | undefined)?.entries ?? {});

const routeOf = (id: string): Route =>
  routes.find((route) => route.id === id) ?? expect.fail(`There is no route ${id}.`);

const cases = <Effect>(table: Readonly<Record<string, Readonly<Record<string, Effect>>>>) =>
  Object.entries(table).flatMap(([id, parameters]) =>
    Object.entries(parameters).map(([name, effect]) => ({ id, name, effect })),
  );

test("every query parameter has a test of its effect", () => {
  const isTested = (route: Route, name: string): boolean =>
    pagingParameters.has(name) ||
    (name === "sort_order" && entriesOf(route).includes("sort_by")) ||
    lists[route.id]?.[name] !== undefined ||
    differences[route.id]?.[name] !== undefined ||
    testedElsewhere[route.id]?.includes(name) === true;

  const untested = routes.flatMap((route) =>
    entriesOf(route).flatMap((name) => (isTested(route, name) ? [] : [`${name} of ${route.id}`])),
  );

  expect(untested).toEqual([]);
});

test.each(sample("lists", cases(lists)))(
  "$name of $id keeps exactly the matching items",
  async ({ id, name, effect }) => {
    const route = routeOf(id);
    const itemsOf = async (query: Query): Promise<readonly Item[]> =>
      ((await project.answer(route, { query })) as { readonly items: readonly Item[] }).items;

    const allItems = await itemsOf({ limit: "200" });
    const narrowed = await itemsOf({ limit: "200", [effect.as ?? name]: effect.value() });

    // Where an item matches is told only with `q`.
    expect(narrowed.map((item) => withoutKeys(item, { matches: [] }))).toEqual(allItems.filter(effect.keeps));
    expect(narrowed.length, "as many as without").toBeLessThan(allItems.length);
  },
);

/** Every filter and every order of the lists that include scores. */
const scoredLists = [
  [listTraces, [...traceSortColumns, "score"]],
  [listSessions, [...sessionSortColumns, "score"]],
] as const;
const scoredListQueries = scoredLists.flatMap(([{ id }, columns]) => {
  const filters = Object.entries(lists[id] ?? {}).map(([name, { as = name, value }]) => ({
    id,
    title: as,
    query: (): Query => ({ [as]: value() }),
  }));
  const orders = columns.map((column) => ({
    id,
    title: `sort_by=${column}`,
    query: (): Query => (column === "score" ? { sort_by: column, sort_metric: "rating" } : { sort_by: column }),
  }));
  return filters.concat(orders);
});

test.each(scoredListQueries)("$id includes the same scores with $title", async ({ id, query }) => {
  const scoresWith = async (narrowing: Query): Promise<ReadonlyMap<unknown, unknown>> => {
    const answer = await project.answer(routeOf(id), { query: { limit: "200", include: "scores", ...narrowing } });
    const { items } = answer as { readonly items: readonly Item[] };
    return new Map(items.map((item) => [item["trace_id"] ?? item["session_id"], item["scores"]]));
  };

  const allScores = await scoresWith({});
  const narrowed = await scoresWith(query());

  expect([...allScores.values()].flat().length).toBeGreaterThan(1);
  expect(narrowed).toEqual(new Map([...narrowed.keys()].map((key) => [key, allScores.get(key)])));
});

test.each(sample("differences", cases(differences)))(
  "$name changes the reply of $id",
  async ({ id, name, effect: [otherQuery, value] }) => {
    const ask = (query: Query): Promise<unknown> =>
      project.answer(routeOf(id), { query, params: { session_id: beta.session_id } });
    const as = name === "metadata" ? "metadata.tier" : name;

    // Aggregates may lag writes by seconds.
    await expect
      .poll(async () => [await ask(otherQuery), await ask({ ...otherQuery, [as]: value })], {
        timeout: requestTimeout,
        interval: 200,
      })
      .toSatisfy(([without, withIt]) => JSON.stringify(without) !== JSON.stringify(withIt));
  },
);

/** The keys of `filters` for a kind of run. */
const keysOf = (schema: typeof traceFilters | typeof sessionFilters): readonly string[] =>
  Object.keys(schema.pipe[0].options[0].entries);

const provenanceFilters = {
  prompt_name: ["prompt-a", 1],
  prompt_version: ["7", 1],
  experiment: ["experiment-a", 1],
  experiment_item_id: ["item-a", 1],
  first_error: ["error-a", 1],
} as const;

/** A value for each filter of a run, and the number of targets that match among four traces or two sessions. */
const runFilters: Readonly<Record<"TRACE" | "SESSION", Readonly<Record<string, readonly [unknown, number]>>>> = {
  TRACE: {
    date_from: [day, 3],
    date_to: [day, 1],
    started_after: [day, 3],
    started_before: [day, 1],
    status: ["ERROR", 1],
    session_id: [alpha.session_id, 1],
    user_id: [alpha.user_id, 1],
    tags: [["tag-a"], 1],
    name: ["lpha", 1],
    has_error: [true, 1],
    has_failed_span: [true, 1],
    min_latency_ms: [1500, 1],
    max_latency_ms: [1500, 1],
    min_cost: [0.5, 1],
    max_cost: [0.5, 3],
    min_tokens: [100, 1],
    max_tokens: [99, 3],
    model: ["model-a", 1],
    tool: ["lookup", 1],
    release: [alpha.release, 1],
    environment: [alpha.environment, 1],
    has_session: [false, 1],
    ...provenanceFilters,
    metadata: [{ tier: "gold" }, 1],
    score: [["rating>0.5"], 1],
    no_score: [["rating"], 3],
    q: ['"Error A"', 1],
  },
  SESSION: {
    date_from: [day, 1],
    date_to: [day, 1],
    started_after: [day, 1],
    started_before: [day, 1],
    user_id: [alpha.user_id, 1],
    tags: [["tag-a"], 1],
    has_error: [true, 1],
    has_failed_span: [true, 1],
    min_trace_count: [2, 1],
    min_latency_ms: [2000, 1],
    max_latency_ms: [1500, 1],
    min_cost: [0.5, 1],
    max_cost: [0.5, 1],
    min_tokens: [100, 1],
    max_tokens: [99, 1],
    model: ["model-a", 1],
    tool: ["lookup", 1],
    release: [alpha.release, 1],
    environment: [alpha.environment, 1],
    ...provenanceFilters,
    metadata: [{ tier: "gold" }, 1],
    score: [["rating>0.5"], 1],
    no_score: [["solved"], 1],
  },
};

test("every filter of runs has a test of its effect", () => {
  expect(Object.keys(runFilters.TRACE).toSorted()).toEqual(keysOf(traceFilters).toSorted());
  expect(Object.keys(runFilters.SESSION).toSorted()).toEqual(keysOf(sessionFilters).toSorted());
});

const runCases = (["TRACE", "SESSION"] as const).flatMap((type) =>
  Object.entries(runFilters[type]).map(([filter, [value, targets]]) => ({ type, filter, value, targets })),
);

describe.each(sample("filters of runs", runCases))(
  "the filter $filter of $type targets",
  ({ type, filter, value, targets }) => {
    const metrics = [type === "TRACE" ? "confidence" : "agent_reliability"];

    test("limits the targets of a run", async () => {
      const route = type === "TRACE" ? createTraceRun : createSessionRun;
      const reply = await project.call(route, {
        query: { dry_run: "true" },
        body: { metrics, filters: { [filter]: value } },
      });

      expect(reply).toMatchObject({ status: 200, body: { targets } });
    });

    test("limits the targets of a monitor's runs", async () => {
      const monitorBody = { name: filter, target_type: type, metrics, cadence: "weekly", filters: { [filter]: value } };
      const { id } = await project.answer(createMonitor, { body: monitorBody });

      const request = { params: { monitor_id: id } };
      const estimate = await project.call(triggerMonitor, { ...request, query: { dry_run: "true" } });
      const run = await project.answer(triggerMonitor, request);

      expect([estimate.status, estimate.body]).toEqual([200, expect.objectContaining({ targets })]);
      expect(run).toMatchObject({ total_traces: targets });
    });
  },
);

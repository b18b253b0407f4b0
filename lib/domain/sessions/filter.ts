import { foldForSearch } from "../traces/search/case-folding.ts";
import type { ExactKeys } from "../exact-keys.ts";
import { scoreTest, type NewestScoreFilters, type ScoreTest } from "../score-condition.ts";
import { traceFilter, type FilteredNames, type TraceFilter, type TraceFilters } from "../traces/filter.ts";
import type { Session } from "./session.ts";

/** Filters of the traces that sessions are composed of. */
type TraceSelection = Pick<
  TraceFilters,
  | "date_from"
  | "date_to"
  | "user_id"
  | "tags"
  | "model"
  | "tool"
  | "release"
  | "environment"
  | "prompt_name"
  | "prompt_version"
  | "experiment"
  | "experiment_item_id"
  | "first_error"
  | "metadata"
>;

/** Filters of the totals and the id of a session, computed from the selected traces. */
export interface SessionTotalFilters {
  /** True for sessions with a trace of status ERROR. */
  readonly has_error?: boolean | undefined;
  /** True for sessions with a trace of status ERROR or with a failed span. */
  readonly has_failed_span?: boolean | undefined;
  /** Minimum number of traces in the session. */
  readonly min_trace_count?: number | undefined;
  /** Part of the session id, ignoring case and accents. */
  readonly query?: string | undefined;
  /** Bounds of the sum of the traces' latencies, in milliseconds. */
  readonly min_latency_ms?: number | undefined;
  readonly max_latency_ms?: number | undefined;
  /** Bounds of the session's cost, in US dollars. */
  readonly min_cost?: number | undefined;
  readonly max_cost?: number | undefined;
  readonly min_tokens?: number | undefined;
  readonly max_tokens?: number | undefined;
}

/** Filters of whole sessions. */
interface WholeSessionFilters extends NewestScoreFilters, SessionTotalFilters {}

/** Filters of the sessions of a run, as requested; absent filters are not applied. */
export interface SessionFilters extends TraceSelection, Omit<WholeSessionFilters, "query"> {}

/** Filters of a list of sessions. */
export interface SessionListFilters extends TraceSelection, Omit<WholeSessionFilters, "min_trace_count"> {}

/** Fields of a session that filters read. */
type FilteredSession = Pick<
  Session,
  "traceCount" | "hasError" | "hasFailedSpan" | "totalLatency" | "totalCost" | "totalTokens"
>;

type Test = (session: FilteredSession) => boolean;

/** Test of each filter on a session, or on its id; null if the filter is not set. */
type SessionTests = {
  readonly [Key in keyof SessionTotalFilters]-?: (Key extends "query" ? (id: string) => boolean : Test) | null;
};

const rangeTests = (
  min: number | undefined,
  max: number | undefined,
  value: (session: FilteredSession) => number | null,
): readonly [atLeast: Test | null, atMost: Test | null] => [
  min === undefined ? null : (session) => (value(session) ?? -1) >= min,
  max === undefined ? null : (session) => (value(session) ?? Number.POSITIVE_INFINITY) <= max,
];

/** Splits the filters of sessions into those of their traces, of their totals and of their scores. */
export const splitSessionFilters = (filters: TraceSelection & WholeSessionFilters) => {
  const { has_error, has_failed_span, min_trace_count, query, ...ofRanges } = filters;
  const { min_latency_ms, max_latency_ms, min_cost, max_cost, min_tokens, max_tokens, ...ofScores } = ofRanges;
  const { score, no_score, ...traces } = ofScores;
  const ranges = { min_latency_ms, max_latency_ms, min_cost, max_cost, min_tokens, max_tokens };
  const totals: Required<SessionTotalFilters> = { has_error, has_failed_span, min_trace_count, query, ...ranges };
  return { traces: traces satisfies TraceSelection, totals, scores: { score, no_score } };
};

/** Compiled filters of sessions. */
export interface SessionFilter {
  /** Filter of the traces that sessions are composed of. */
  readonly traces: TraceFilter;
  /** What `matchesId` and `matches` test. */
  readonly totals: SessionTotalFilters;
  /** True if a session's id matches; totals of other sessions need not be computed. */
  readonly matchesId: (id: string) => boolean;
  readonly matches: (session: FilteredSession) => boolean;
  /** Test of the newest scores of matching sessions; null if there is none. */
  readonly scores: ScoreTest | null;
}

/**
 * Compiles session filters: a session matches if it passes all tests.
 *
 * @param names numbers of the filtered model and tool, as for `traceFilter`.
 * @param extraScoreNames names of further scores to read.
 */
export const sessionFilter = <Filters extends SessionFilters | SessionListFilters>(
  filters: ExactKeys<TraceSelection & WholeSessionFilters, Filters>,
  names?: FilteredNames,
  extraScoreNames?: readonly string[],
): SessionFilter => {
  const { traces, totals, scores } = splitSessionFilters(filters);
  const { has_error: hasError, has_failed_span: hasFailedSpan, min_trace_count: min } = totals;
  const {
    min_latency_ms: minLatency,
    max_latency_ms: maxLatency,
    min_tokens: minTokens,
    max_tokens: maxTokens,
  } = totals;
  const idPart = foldForSearch(totals.query ?? "");
  const [minLatencyTest, maxLatencyTest] = rangeTests(minLatency, maxLatency, ({ totalLatency }) => totalLatency);
  const [minCostTest, maxCostTest] = rangeTests(totals.min_cost, totals.max_cost, ({ totalCost }) => totalCost);
  const [minTokensTest, maxTokensTest] = rangeTests(minTokens, maxTokens, ({ totalTokens }) => totalTokens);
  const tests: SessionTests = {
    query: idPart === "" ? null : (id) => foldForSearch(id).includes(idPart),
    has_error: hasError === undefined ? null : (session) => session.hasError === hasError,
    has_failed_span: hasFailedSpan === undefined ? null : (session) => session.hasFailedSpan === hasFailedSpan,
    min_trace_count: min === undefined ? null : (session) => session.traceCount >= min,
    min_latency_ms: minLatencyTest,
    max_latency_ms: maxLatencyTest,
    min_cost: minCostTest,
    max_cost: maxCostTest,
    min_tokens: minTokensTest,
    max_tokens: maxTokensTest,
  };
  const { query: idTest, ...sessionTests } = tests;
  const activeTests = Object.values(sessionTests).filter((test) => test !== null);
  return {
    traces: traceFilter(traces, names),
    totals,
    matchesId: (id) => idTest === null || idTest(id),
    matches: (session) => activeTests.every((test) => test(session)),
    scores: scoreTest(scores, extraScoreNames),
  };
};

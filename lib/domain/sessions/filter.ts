import { foldCase } from "../fold-case.ts";
import type { NothingElse } from "../nothing-else.ts";
import { scoreTest, type ScoreFilters, type ScoreTest } from "../score-condition.ts";
import { traceFilter, type FilteredNames, type TraceFilter, type TraceFilters } from "../traces/filter.ts";
import type { Session } from "./session.ts";

/** Filters that choose the traces of which sessions are made up. */
type TraceChoice = Pick<
  TraceFilters,
  "date_from" | "date_to" | "user_id" | "tags" | "model" | "tool" | "release" | "environment" | "metadata"
>;

/** Filters that look at a session as a whole, as far as its traces were chosen. */
interface WholeSessionFilters extends ScoreFilters {
  /** Whether one of its traces has the status ERROR. */
  readonly has_error?: boolean | undefined;
  /** So many traces or more. */
  readonly min_trace_count?: number | undefined;
  /** Part of its id, in any case. */
  readonly query?: string | undefined;
  /** Milliseconds of its traces, added up. */
  readonly min_latency_ms?: number | undefined;
  readonly max_latency_ms?: number | undefined;
  /** Dollars. */
  readonly min_cost?: number | undefined;
  readonly max_cost?: number | undefined;
  readonly min_tokens?: number | undefined;
  readonly max_tokens?: number | undefined;
}

/** What selects the sessions of a run, as a client wrote it; what is absent is not set. */
export interface SessionFilters extends TraceChoice, Omit<WholeSessionFilters, "query"> {}

/** What selects the sessions of a list. */
export interface SessionListFilters extends TraceChoice, Omit<WholeSessionFilters, "min_trace_count"> {}

/** What of a session filters look at. */
type FilteredSession = Pick<Session, "traceCount" | "hasError" | "totalLatency" | "totalCost" | "totalTokens">;

type Test = (session: FilteredSession) => boolean;

/** What each filter asks of a session, or of its id alone; null where it is not set. */
type SessionTests = {
  readonly [Key in Exclude<keyof WholeSessionFilters, keyof ScoreFilters>]-?:
    | (Key extends "query" ? (id: string) => boolean : Test)
    | null;
};

const within = (
  least: number | undefined,
  most: number | undefined,
  value: (session: FilteredSession) => number | null,
): readonly [atLeast: Test | null, atMost: Test | null] => [
  least === undefined ? null : (session) => (value(session) ?? -1) >= least,
  most === undefined ? null : (session) => (value(session) ?? Number.POSITIVE_INFINITY) <= most,
];

/** A filter of sessions made ready. */
export interface SessionFilter {
  /** Which traces sessions are made up of. */
  readonly traces: TraceFilter;
  /** Whether a session may match, going by its id: what may not need not be summed up. */
  readonly admits: (id: string) => boolean;
  readonly matches: (session: FilteredSession) => boolean;
  /** What is asked of the newest scores of the sessions that match; null when nothing is. */
  readonly scores: ScoreTest | null;
}

/**
 * Makes filters ready: a session matches when it passes the test of every filter that is set.
 *
 * @param names as those of traces.
 * @param moreScores names of scores that are to be looked at, whatever they are.
 */
export const sessionFilter = <Given extends SessionFilters | SessionListFilters>(
  filters: NothingElse<TraceChoice & WholeSessionFilters, Given>,
  names?: FilteredNames,
  moreScores?: readonly string[],
): SessionFilter => {
  const {
    has_error: hasError,
    min_trace_count: least,
    query,
    score,
    no_score,
    min_latency_ms: minLatency,
    max_latency_ms: maxLatency,
    min_cost: minCost,
    max_cost: maxCost,
    min_tokens: minTokens,
    max_tokens: maxTokens,
    ...choice
  }: TraceChoice & WholeSessionFilters = filters;
  const part = foldCase(query ?? "");
  const [leastLatency, mostLatency] = within(minLatency, maxLatency, ({ totalLatency }) => totalLatency);
  const [leastCost, mostCost] = within(minCost, maxCost, ({ totalCost }) => totalCost);
  const [fewestTokens, mostTokens] = within(minTokens, maxTokens, ({ totalTokens }) => totalTokens);
  const tests: SessionTests = {
    query: part === "" ? null : (id) => foldCase(id).includes(part),
    has_error: hasError === undefined ? null : (session) => session.hasError === hasError,
    min_trace_count: least === undefined ? null : (session) => session.traceCount >= least,
    min_latency_ms: leastLatency,
    max_latency_ms: mostLatency,
    min_cost: leastCost,
    max_cost: mostCost,
    min_tokens: fewestTokens,
    max_tokens: mostTokens,
  };
  const { query: ofId, ...ofSession } = tests;
  const set = Object.values(ofSession).filter((test) => test !== null);
  return {
    traces: traceFilter(choice, names),
    admits: (id) => ofId === null || ofId(id),
    matches: (session) => set.every((test) => test(session)),
    scores: scoreTest({ score, no_score }, moreScores),
  };
};

import type { SessionListFilters } from "../../lib/domain/sessions/filter.ts";
import type { SessionSortColumn } from "../../lib/domain/sessions/session.ts";
import { computed } from "./differences.ts";
import { latency, timestampOf } from "./instant.ts";
import { contains, pageOf, selected, type Filters, type Paging } from "./list.ts";
import { bySize, distinct, sorted, type Direction } from "./order.ts";
import { shownOrNull, traceReply } from "./replies.ts";
import { hasFailure, latenciesOf, spansOf, sumOrNull, tokensOf, usageOf } from "./totals.ts";
import type { Arrival, ModelTrace } from "./trace.ts";

export type SessionColumn = SessionSortColumn;

/** Value type of each filter of whole sessions. */
export interface WholeSessionValues {
  /** Case-insensitive substring of the session id. */
  readonly query: string;
  readonly has_error: boolean;
  readonly has_failed_span: boolean;
  readonly min_latency_ms: number;
  readonly max_latency_ms: number;
  readonly min_cost: number;
  readonly max_cost: number;
  readonly min_tokens: number;
  readonly max_tokens: number;
}

/** Filters applied to grouped sessions; the other filters select traces. */
export type WholeSessionFilter = keyof WholeSessionValues;

/** Filters that select traces. */
type Choice = Exclude<Extract<keyof SessionListFilters, keyof Filters>, WholeSessionFilter>;

/** Filters of sessions by parameter name. */
export type SessionFilters = Pick<Filters, Choice> & {
  readonly [Key in WholeSessionFilter]?: WholeSessionValues[Key];
};

/** A session in the model. */
export interface ModelSession {
  readonly id: string;
  /** Traces ordered by start, then id. */
  readonly traces: readonly ModelTrace[];
}

/** Groups traces by session; traces without a session are omitted. */
export const sessionsOf = (traces: readonly ModelTrace[]): readonly ModelSession[] => {
  const groups = Map.groupBy(
    traces.filter(({ session }) => session !== null),
    ({ session }) => session ?? "",
  );
  return [...groups].map(([id, group]) => ({
    id,
    traces: sorted(
      group,
      "asc",
      ({ startedAt }) => startedAt,
      ({ traceId }) => traceId,
    ),
  }));
};

const failed = ({ traces }: ModelSession): boolean => traces.some(({ status }) => status === "ERROR");

const latest = (instants: readonly bigint[]): bigint | null => instants.toSorted(bySize).at(-1) ?? null;

/** A session's figures as in every reply. */
const sessionSummary = (session: ModelSession) => {
  const { id, traces } = session;
  const [first] = traces;
  const usage = usageOf(spansOf(traces));
  return {
    session_id: id,
    trace_count: traces.length,
    first_trace_at: timestampOf(first?.startedAt ?? 0n),
    last_trace_at: shownOrNull(latest(traces.flatMap(({ endedAt }) => endedAt ?? []))),
    total_latency_ms: computed(sumOrNull(latenciesOf(traces))),
    has_error: failed(session),
    has_failed_span: session.traces.some(hasFailure),
    user_id: traces.find(({ user }) => user !== null)?.user ?? null,
    tags: distinct(traces.flatMap(({ tags }) => tags)),
    total_span_count: traces.reduce((count, trace) => count + trace.spans.size, 0),
    total_tokens: tokensOf(traces),
    total_cost: computed(usage.cost),
    unpriced_tokens: usage.unpriced,
  };
};

/** Arrival of the newest trace of a session. */
export const newestArrival = ({ traces }: ModelSession): Arrival => ({
  from: Math.max(...traces.map(({ arrival }) => arrival.from)),
  to: Math.max(...traces.map(({ arrival }) => arrival.to)),
});

/** Sum of the latencies of ended traces in microseconds; null if none has ended. */
const latencySum = ({ traces }: ModelSession): bigint | null => {
  const micros = traces.flatMap(({ startedAt, endedAt }) =>
    endedAt === null || latency(startedAt, endedAt) === null ? [] : endedAt - startedAt,
  );
  return micros.length === 0 ? null : micros.reduce((sum, each) => sum + each, 0n);
};

const milliseconds = (session: ModelSession): number | null => {
  const sum = latencySum(session);
  return sum === null ? null : Number(sum) / 1000;
};

const costOf = ({ traces }: ModelSession): number => usageOf(spansOf(traces)).cost;

const columns: Readonly<Record<SessionColumn, (session: ModelSession) => number | bigint | null>> = {
  recent: (session) => newestArrival(session).to,
  trace_count: ({ traces }) => traces.length,
  latency: latencySum,
  cost: costOf,
  tokens: ({ traces }) => tokensOf(traces),
  errors: ({ traces }) => traces.filter(({ status }) => status === "ERROR").length,
};

/** A page of the matching sessions. */
export const sessionList = (
  traces: readonly ModelTrace[],
  filters: SessionFilters,
  column: SessionColumn,
  direction: Direction,
): readonly ModelSession[] => {
  const { query, has_error: hasError, has_failed_span: hasFailedSpan, ...otherFilters } = filters;
  const { min_latency_ms, max_latency_ms, min_cost, max_cost, min_tokens, max_tokens, ...choice } = otherFilters;
  const tests: Readonly<Record<WholeSessionFilter, (session: ModelSession) => boolean>> = {
    query: ({ id }) => query === undefined || contains(id, query),
    has_error: (session) => hasError === undefined || failed(session) === hasError,
    has_failed_span: ({ traces: group }) => hasFailedSpan === undefined || group.some(hasFailure) === hasFailedSpan,
    min_latency_ms: (session) =>
      min_latency_ms === undefined || (milliseconds(session) ?? Number.NEGATIVE_INFINITY) >= min_latency_ms,
    max_latency_ms: (session) =>
      max_latency_ms === undefined || (milliseconds(session) ?? Number.POSITIVE_INFINITY) <= max_latency_ms,
    min_cost: (session) => min_cost === undefined || costOf(session) >= min_cost,
    max_cost: (session) => max_cost === undefined || costOf(session) <= max_cost,
    min_tokens: ({ traces }) => min_tokens === undefined || tokensOf(traces) >= min_tokens,
    max_tokens: ({ traces }) => max_tokens === undefined || tokensOf(traces) <= max_tokens,
  };
  const matching = sessionsOf(selected(traces, choice)).filter((session) =>
    Object.values(tests).every((test) => test(session)),
  );
  return sorted(matching, direction, columns[column], ({ id }) => id);
};

export const sessionPage = (sessions: readonly ModelSession[], paging: Paging): object =>
  pageOf(sessions.map(sessionSummary), paging);

/** A session with a page of its traces; undefined if it has no traces. */
export const sessionDetail = (
  project: unknown,
  traces: readonly ModelTrace[],
  id: string,
  { limit, offset }: Paging,
): object | undefined => {
  const session = sessionsOf(traces).find((each) => each.id === id);
  return (
    session && {
      ...sessionSummary(session),
      traces: session.traces.slice(offset, offset + limit).map((trace) => traceReply(project, trace)),
    }
  );
};

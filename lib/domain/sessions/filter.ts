import { foldCase } from "../fold-case.ts";
import type { NothingElse } from "../nothing-else.ts";
import { traceFilter, type TraceFilter, type TraceFilters } from "../traces/filter.ts";

/** Filters that choose the traces of which sessions are made up. */
type TraceChoice = Pick<TraceFilters, "date_from" | "date_to" | "user_id" | "tags">;

/** Filters that look at a session as a whole, as far as its traces were chosen. */
interface WholeSessionFilters {
  /** Whether one of its traces has the status ERROR. */
  readonly has_error?: boolean | undefined;
  /** So many traces or more. */
  readonly min_trace_count?: number | undefined;
  /** Part of its id, in any case. */
  readonly query?: string | undefined;
}

/** What selects the sessions of a run, as a client wrote it; what is absent is not set. */
export interface SessionFilters extends TraceChoice, Omit<WholeSessionFilters, "query"> {}

/** What selects the sessions of a list. */
export interface SessionListFilters extends TraceChoice, Omit<WholeSessionFilters, "min_trace_count"> {}

/** What of a session filters look at. */
interface FilteredSession {
  readonly traces: number;
  readonly hasError: boolean;
}

/** What each filter asks of a session, or of its id alone; null where it is not set. */
type SessionTests = {
  readonly [Key in keyof WholeSessionFilters]-?:
    | ((asked: Key extends "query" ? string : FilteredSession) => boolean)
    | null;
};

/** A filter of sessions made ready. */
export interface SessionFilter {
  /** Which traces sessions are made up of. */
  readonly traces: TraceFilter;
  /** Whether a session may match, going by its id: what may not need not be summed up. */
  readonly admits: (id: string) => boolean;
  readonly matches: (session: FilteredSession) => boolean;
}

/** Makes filters ready: a session matches when it passes the test of every filter that is set. */
export const sessionFilter = <Given extends SessionFilters | SessionListFilters>(
  filters: NothingElse<TraceFilters & WholeSessionFilters, Given>,
): SessionFilter => {
  const { has_error: hasError, min_trace_count: least, query, ...choice }: TraceFilters & WholeSessionFilters = filters;
  const part = foldCase(query ?? "");
  const tests: SessionTests = {
    query: part === "" ? null : (id) => foldCase(id).includes(part),
    has_error: hasError === undefined ? null : (session) => session.hasError === hasError,
    min_trace_count: least === undefined ? null : (session) => session.traces >= least,
  };
  const { query: ofId, ...ofSession } = tests;
  const set = Object.values(ofSession).filter((test) => test !== null);
  return {
    traces: traceFilter(choice),
    admits: (id) => ofId === null || ofId(id),
    matches: (session) => set.every((test) => test(session)),
  };
};

import type { SessionFilters } from "../traces/filters.ts";
import { traceFilter, type TraceFilter } from "../traces/filter.ts";
import type { ListedTrace } from "../traces/row.ts";

/** What of a trace its session is chosen by. */
type SessionTrace = Pick<ListedTrace, "sessionId" | "status" | "changedAt">;

/** A session that filters selected, by those of its traces that matched. */
interface MatchingSession {
  readonly id: string;
  readonly traces: number;
  /** When one of them arrived or changed last, our clock, epoch milliseconds. */
  readonly changedAt: number;
}

/** Selects sessions from the traces that match, shown one by one in any order. */
export interface SessionSelection {
  /** Which traces are to be shown. */
  readonly filter: TraceFilter;
  see(trace: SessionTrace): void;
  selected(): readonly MatchingSession[];
}

export const sessionSelection = (filters: SessionFilters): SessionSelection => {
  const { has_error: hasError, min_trace_count: least = 1, ...ofTraces } = filters;
  const sessions = new Map<string, MatchingSession & { readonly hasError: boolean }>();
  return {
    filter: traceFilter(ofTraces),
    see: ({ sessionId: id, status, changedAt }) => {
      if (id === null) return;
      const known = sessions.get(id);
      sessions.set(id, {
        id,
        traces: (known?.traces ?? 0) + 1,
        changedAt: Math.max(known?.changedAt ?? 0, changedAt),
        hasError: known?.hasError === true || status === "ERROR",
      });
    },
    selected: () =>
      [...sessions.values()].filter(
        (session) => session.traces >= least && (hasError === undefined || session.hasError === hasError),
      ),
  };
};

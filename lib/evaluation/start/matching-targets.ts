import type { TraceFilters, SessionFilters } from "../../domain/traces/filters.ts";
import type { TargetType } from "../../domain/runs/run.ts";
import { sessionSelection } from "../../domain/sessions/filter.ts";
import { traceFilter } from "../../domain/traces/filter.ts";
import type { TraceList } from "../../store/traces/list.ts";

/** What a run is to be about. */
export type Selection =
  | { readonly targetType: Extract<TargetType, "TRACE">; readonly filters: TraceFilters }
  | { readonly targetType: Extract<TargetType, "SESSION">; readonly filters: SessionFilters };

/** A trace or a session that filters selected. */
export interface MatchingTarget {
  readonly id: string;
  /** When it, or one of a session's matching traces, arrived or changed last: our clock, epoch milliseconds. */
  readonly changedAt: number;
  /** Matching traces of a session; 1 of a trace. */
  readonly traces: number;
}

/**
 * Everything in a project that matches, strongly read, in no particular order.
 *
 * @throws Refusal `invalid` when too many rows would have to be read.
 */
export type MatchingTargets = (project: string, selection: Selection) => Promise<readonly MatchingTarget[]>;

export const matchingTargets =
  (list: Pick<TraceList, "matching">): MatchingTargets =>
  async (project, { targetType, filters }) => {
    if (targetType === "SESSION") {
      const sessions = sessionSelection(filters);
      await list.matching(project, sessions.filter, (trace) => sessions.see(trace));
      return sessions.selected();
    }
    const traces: MatchingTarget[] = [];
    await list.matching(project, traceFilter(filters), ({ traceId: id, changedAt }) =>
      traces.push({ id, changedAt, traces: 1 }),
    );
    return traces;
  };

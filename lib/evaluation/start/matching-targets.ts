import { flatText, textBytes } from "../../domain/flat-text.ts";
import type { TargetType } from "../../domain/runs/run.ts";
import { sessionFilter, type SessionFilters } from "../../domain/sessions/filter.ts";
import { traceFilter, type TraceFilters } from "../../domain/traces/filter.ts";
import type { TraceList } from "../../store/traces/lists/list.ts";
import { heldBudget, heldLimits } from "../../store/traces/row-budget.ts";

/** A trace or a session that filters selected. */
export interface MatchingTarget {
  readonly id: string;
  /** When it, or one of a session's matching traces, arrived or changed last: our clock, epoch milliseconds. */
  readonly changedAt: number;
  /** Matching traces of a session; 1 of a trace. */
  readonly traces: number;
}

/** What selects the targets of a run, whichever they are. */
export type TargetFilters = TraceFilters & SessionFilters;

/**
 * Everything in a project that matches, strongly read, in no particular order.
 *
 * @throws Refusal `invalid` when too many rows would have to be read, or there are more targets than there is memory for.
 */
export type MatchingTargets = (
  project: string,
  targetType: TargetType,
  filters: TargetFilters,
) => Promise<readonly MatchingTarget[]>;

/** A session that is being put together from its matching traces. */
interface FoundSession extends MatchingTarget {
  readonly hasError: boolean;
}

/** What a target takes beside its id, while all of them are gone through. */
const targetBytes = 220;

const targetBudget = () => heldBudget(heldLimits[1024], "targets", ["body", "filters"], "date_from and date_to");

const sessionsOf = async (
  list: Pick<TraceList, "matching">,
  project: string,
  filters: TargetFilters,
): Promise<readonly MatchingTarget[]> => {
  const { traces, matches } = sessionFilter(filters);
  const sessions = new Map<string, FoundSession>();
  const hold = targetBudget();
  await list.matching(project, traces, ({ sessionId: id, status, changedAt }) => {
    if (id === null) return;
    const known = sessions.get(id);
    const kept = known?.id ?? flatText(id);
    if (known === undefined) hold(targetBytes + textBytes(id));
    sessions.set(kept, {
      id: kept,
      traces: (known?.traces ?? 0) + 1,
      changedAt: Math.max(known?.changedAt ?? 0, changedAt),
      hasError: known?.hasError === true || status === "ERROR",
    });
  });
  return [...sessions.values()].filter(matches);
};

export const matchingTargets =
  (list: Pick<TraceList, "matching">): MatchingTargets =>
  async (project, targetType, filters) => {
    if (targetType === "SESSION") return await sessionsOf(list, project, filters);
    // The interface takes no filters of whole sessions for a run of traces.
    const { has_error: _, min_trace_count: __, ...ofTraces } = filters;
    const traces: MatchingTarget[] = [];
    const hold = targetBudget();
    await list.matching(project, traceFilter(ofTraces), ({ traceId, changedAt }) => {
      hold(targetBytes + traceId.length);
      traces.push({ id: flatText(traceId), changedAt, traces: 1 });
    });
    return traces;
  };

import { flatText, textBytes } from "../../domain/flat-text.ts";
import type { TargetType } from "../../domain/runs/run.ts";
import { sessionFilter, type SessionFilter, type SessionFilters } from "../../domain/sessions/filter.ts";
import { traceFilter, type TraceFilters } from "../../domain/traces/filter.ts";
import type { RowForecast } from "../../store/hours/row-forecast.ts";
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

const bounds = [["body", "filters"], "date_from and date_to"] as const;

const targetBudget = () => heldBudget(heldLimits[1024], "targets", ...bounds);

const sessionsOf = async (
  list: Pick<TraceList, "matching">,
  project: string,
  { traces, matches }: SessionFilter,
): Promise<readonly MatchingTarget[]> => {
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
  (list: Pick<TraceList, "matching">, forecast: RowForecast): MatchingTargets =>
  async (project, targetType, filters) => {
    if (targetType === "SESSION") {
      const filter = sessionFilter(filters);
      await forecast(project, filter.traces, ...bounds);
      return await sessionsOf(list, project, filter);
    }
    // The interface takes no filters of whole sessions for a run of traces.
    const { has_error: _, min_trace_count: __, ...ofTraces } = filters;
    const traces: MatchingTarget[] = [];
    const hold = targetBudget();
    const filter = traceFilter(ofTraces);
    await forecast(project, filter, ...bounds);
    await list.matching(project, filter, ({ traceId, changedAt }) => {
      hold(targetBytes + traceId.length);
      traces.push({ id: flatText(traceId), changedAt, traces: 1 });
    });
    return traces;
  };

import { flatText, textBytes } from "../../domain/flat-text.ts";
import type { TargetType } from "../../domain/runs/run.ts";
import type { ScoresByName } from "../../domain/score-condition.ts";
import type { SessionFilter, SessionFilters } from "../../domain/sessions/filter.ts";
import { SessionSum, type Session } from "../../domain/sessions/session.ts";
import type { TraceFilters } from "../../domain/traces/filter.ts";
import type { RowForecast } from "../../store/hours/row-forecast.ts";
import type { ReadyFilters } from "../../store/scores/newest/ready-filters.ts";
import type { TraceList } from "../../store/traces/lists/list.ts";
import { checkScored, mostScored, type ScoresOf } from "../../store/traces/lists/selection.ts";
import { heldBudget, heldLimits } from "../../store/traces/row-budget.ts";

/** A trace or a session that filters selected. */
export interface MatchingTarget {
  readonly id: string;
  /**
   * When it, one of a session's matching traces, or a score that a filter looked at, arrived or changed last: our clock, epoch
   * milliseconds.
   */
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
interface FoundSession {
  readonly sum: SessionSum;
  changedAt: number;
}

/** What a target takes beside its id, while all of them are gone through. */
const [traceBytes, sessionBytes] = [220, 700];

const bounds = [["body", "filters"], "date_from and date_to"] as const;

const targetBudget = () => heldBudget(heldLimits[1024], "targets", ...bounds);

const lastScored = (scores: ScoresByName): number =>
  Math.max(0, ...scores.values().map(({ updated_at: at }) => Date.parse(at)));

const targetOf = ({ sessionId: id, traceCount: traces }: Session, changedAt: number): MatchingTarget => ({
  id,
  changedAt,
  traces,
});

/** What is read to find targets. */
export interface TargetSources {
  readonly list: Pick<TraceList, "matching">;
  readonly forecast: RowForecast;
  readonly ready: ReadyFilters;
  /** The newest scores of sessions. */
  readonly sessionScores: ScoresOf;
}

const sessionsOf = async (
  { list, sessionScores }: TargetSources,
  project: string,
  { traces, matches, scores }: SessionFilter,
): Promise<readonly MatchingTarget[]> => {
  const sessions = new Map<string, FoundSession>();
  const hold = targetBudget();
  await list.matching(project, traces, (trace) => {
    const { sessionId: id, changedAt } = trace;
    if (id === null) return;
    const known = sessions.get(id);
    const found = known ?? { sum: new SessionSum(flatText(id)), changedAt: 0 };
    hold(found.sum.add(trace));
    found.changedAt = Math.max(found.changedAt, changedAt);
    if (known !== undefined) return;
    sessions.set(found.sum.sessionId, found);
    hold(sessionBytes + textBytes(id));
  });
  const found = [...sessions.values()].flatMap(({ sum, changedAt }) => {
    const session = sum.session();
    return session === null || !matches(session) ? [] : [targetOf(session, changedAt)];
  });
  if (scores === null) return found;
  checkScored(found.length, mostScored, ["body", "filters", "score"]);
  const of = await sessionScores(
    project,
    found.map(({ id }) => ({ id, incarnation: null })),
    scores.names,
  );
  return found.flatMap((target, index) => {
    const own = of[index];
    if (own === undefined || !scores.matches(own)) return [];
    return [{ ...target, changedAt: Math.max(target.changedAt, lastScored(own)) }];
  });
};

export const matchingTargets =
  (sources: TargetSources): MatchingTargets =>
  async (project, targetType, filters) => {
    const { list, forecast, ready } = sources;
    if (targetType === "SESSION") {
      const filter = await ready.sessions(project, filters);
      await forecast(project, filter.traces, ...bounds);
      return await sessionsOf(sources, project, filter);
    }
    const filter = await ready.traces(project, filters);
    const traces: MatchingTarget[] = [];
    const hold = targetBudget();
    await forecast(project, filter, ...bounds);
    await list.matching(project, filter, ({ traceId, changedAt }, scores) => {
      hold(traceBytes + traceId.length);
      traces.push({ id: flatText(traceId), changedAt: Math.max(changedAt, lastScored(scores)), traces: 1 });
    });
    return traces;
  };

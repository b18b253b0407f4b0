import { flattenText, textBytes } from "../../domain/text.ts";
import type { TargetType } from "../../domain/runs/run.ts";
import type { ScoresByName } from "../../domain/score-condition.ts";
import type { SessionFilter, SessionFilters } from "../../domain/sessions/filter.ts";
import { SessionSum, type Session } from "../../domain/sessions/session.ts";
import type { SearchedTraceFilters } from "../../domain/traces/filter.ts";
import { parseTextQuery } from "../../domain/traces/search/text-query.ts";
import { invalid } from "../../domain/refusal.ts";
import type { RowLimitCheck } from "../../store/hours/row-limit-check.ts";
import type { FilterResolver } from "../../store/scores/newest/filter-resolver.ts";
import type { FileDays, FileDaysReader } from "../../store/traces/lists/file-days.ts";
import {
  type TraceList,
  type TraceQuery,
  checkScoreReads,
  maxScoreReads,
  type ScoresOf,
} from "../../store/traces/lists/list.ts";
import type { PackedTrace } from "../../store/traces/packed-trace.ts";
import { memoryBudget, memoryLimits } from "../../store/traces/row-scan.ts";
import { maxDocuments } from "../../store/traces/search/documents.ts";
import { checkDocuments, type PagedSearch, type WholeSearch } from "../../store/traces/search/whole-search.ts";

/** A trace or session that matches filters. */
export interface MatchingTarget {
  readonly id: string;
  /**
   * Server time of the last change, epoch milliseconds: of the trace or the session's matching traces, or of a score that a
   * filter used.
   */
  readonly changedAt: number;
  /** Number of matching traces of a session; 1 for a trace. */
  readonly traces: number;
}

/** Filters for the targets of a run, traces or sessions. */
export type TargetFilters = SearchedTraceFilters & SessionFilters;

/**
 * Returns all targets in a project that match, by strongly consistent reads, in no particular order. Of more rows than may be read
 * those of closed days are found by their files, and of more texts those that have all words by their index, if there are any.
 *
 * @throws Refusal `invalid` when too many rows would have to be read, or the targets do not fit in memory.
 */
export type MatchingTargets = (
  project: string,
  targetType: TargetType,
  filters: TargetFilters,
) => Promise<readonly MatchingTarget[]>;

/** A session while its matching traces are being added. */
interface PartialSession {
  readonly sum: SessionSum;
  changedAt: number;
}

/** Estimated bytes of memory per target, in addition to its id. */
const [traceBytes, sessionBytes] = [220, 700];

/** Traces of a run over more rows than may be read: their rows are read by id. */
const maxFiledTargets = 5_000;

const limitFields = [["body", "filters"], "date_from and date_to"] as const;

const targetBudget = () => memoryBudget(memoryLimits[1024], "targets", ...limitFields);

const lastScoreChange = (scores: ScoresByName): number =>
  Math.max(0, ...scores.values().map(({ updated_at: at }) => Date.parse(at)));

const targetOf = ({ sessionId: id, traceCount: traces }: Session, changedAt: number): MatchingTarget => ({
  id,
  changedAt,
  traces,
});

const traceTargetOf = ({ traceId, changedAt }: PackedTrace, scores: ScoresByName): MatchingTarget => ({
  id: flattenText(traceId),
  changedAt: Math.max(changedAt, lastScoreChange(scores)),
  traces: 1,
});

/** Stores and checks that the search for targets uses. */
export interface TargetSources {
  readonly list: Pick<TraceList, "list" | "matching">;
  /** Finds files of closed days, which lag by seconds; null for readers that may miss no change, and on a service without files. */
  readonly filesOf: FileDaysReader | null;
  readonly checkRowLimit: RowLimitCheck;
  readonly resolveFilters: FilterResolver;
  /** Reads the newest scores of sessions. */
  readonly sessionScores: ScoresOf;
  readonly searchAll: WholeSearch;
  /** Searches more texts than `searchAll` by an index of words, which lags by seconds; null as `filesOf`. */
  readonly searchPages: PagedSearch | null;
}

/** Ends the reading of rows that have more texts than may be searched one by one. */
class TooManyTexts extends Error {}

const matchingSessionTargets = async (
  { list, sessionScores }: TargetSources,
  project: string,
  { traces, matches, scores }: SessionFilter,
): Promise<readonly MatchingTarget[]> => {
  const sessions = new Map<string, PartialSession>();
  const reserveMemory = targetBudget();
  await list.matching(project, traces, (trace) => {
    const { sessionId: id, changedAt } = trace;
    if (id === null) return;
    const existingSession = sessions.get(id);
    const partialSession = existingSession ?? { sum: new SessionSum(flattenText(id)), changedAt: 0 };
    reserveMemory(partialSession.sum.add(trace));
    partialSession.changedAt = Math.max(partialSession.changedAt, changedAt);
    if (existingSession !== undefined) return;
    sessions.set(partialSession.sum.sessionId, partialSession);
    reserveMemory(sessionBytes + textBytes(id));
  });
  const matchingSessions = [...sessions.values()].flatMap(({ sum, changedAt }) => {
    const session = sum.session();
    return session === null || !matches(session) ? [] : [targetOf(session, changedAt)];
  });
  if (scores === null) return matchingSessions;
  checkScoreReads(matchingSessions.length, maxScoreReads, ["body", "filters", "score"]);
  const scoresBySession = await sessionScores(
    project,
    matchingSessions.map(({ id }) => ({ id, incarnation: null })),
    scores,
  );
  return matchingSessions.flatMap((target, index) => {
    const sessionScoresByName = scoresBySession[index];
    if (sessionScoresByName === undefined || !scores.matches(sessionScoresByName)) return [];
    return [{ ...target, changedAt: Math.max(target.changedAt, lastScoreChange(sessionScoresByName)) }];
  });
};

/** Reads the matching traces of more rows than may be read, those of closed days by their files. @throws Refusal `invalid` if they are too many. */
const listed = async (
  list: TargetSources["list"],
  project: string,
  query: Pick<TraceQuery, "filter" | "files" | "withIncarnations">,
): Promise<readonly PackedTrace[]> => {
  const page = { sortBy: "started_at", order: "desc", limit: maxFiledTargets, offset: 0, bounds: limitFields } as const;
  const { rows, last, isCut } = await list.list(project, { ...query, ...page });
  if (last === null && isCut !== true) return rows;
  const count = maxFiledTargets.toLocaleString("en");
  const msg = `More than ${count} traces match, of more than may be read one by one. Narrow date_from and date_to, or the other filters.`;
  throw invalid(limitFields[0], msg, "too_many_rows");
};

export const matchingTargets =
  (sources: TargetSources): MatchingTargets =>
  async (project, targetType, { q, ...filters }) => {
    const { list, checkRowLimit, resolveFilters, filesOf, searchAll, searchPages } = sources;
    if (targetType === "SESSION") {
      const filter = await resolveFilters.sessions(project, filters);
      await checkRowLimit(project, filter.traces, ...limitFields);
      return await matchingSessionTargets(sources, project, filter);
    }
    const filter = await resolveFilters.traces(project, filters);
    const traces: MatchingTarget[] = [];
    const rows: PackedTrace[] = [];
    const reserveMemory = targetBudget();
    const visit = (row: PackedTrace, scores: ScoresByName): void => {
      reserveMemory(traceBytes + row.traceId.length);
      traces.push(traceTargetOf(row, scores));
      if (q === undefined) return;
      rows.push(row);
      if (searchPages === null) checkDocuments(rows.length);
      else if (rows.length > maxDocuments) throw new TooManyTexts();
    };
    const withIncarnations = q !== undefined || filter.scores !== null;
    const findFiles = async (): Promise<FileDays | null> => (await filesOf?.(project, filter, filters)) ?? null;
    const files = await checkRowLimit(project, filter, ...limitFields, findFiles, "if-refused");
    const readRows = async (): Promise<void> => {
      if (files === null) await list.matching(project, filter, visit, withIncarnations);
      else for (const row of await listed(list, project, { filter, files, withIncarnations })) visit(row, new Map());
    };
    if (q === undefined) {
      await readRows();
      return traces;
    }
    const { terms } = parseTextQuery(q);
    try {
      await readRows();
    } catch (error) {
      if (searchPages === null || !(error instanceof TooManyTexts)) throw error;
      return (await searchPages(project, filter, terms)).map((row) => traceTargetOf(row, new Map()));
    }
    const matches = await searchAll(project, rows, terms);
    return traces.filter(({ id }) => matches.has(id));
  };

import {
  sessionFilter,
  type SessionFilter,
  type SessionFilters,
  type SessionListFilters,
} from "../../../domain/sessions/filter.ts";
import { traceFilter, withErrorStatus, type TraceFilter, type TraceFilters } from "../../../domain/traces/filter.ts";
import type { ScoreTest } from "../../../domain/score-condition.ts";
import type { ScoreGiver } from "../../../domain/scores/precedence.ts";
import type { Database } from "../../../dynamo/database.ts";
import { projectNames } from "../../traces/facts/names.ts";

/**
 * Resolves filters of traces: replaces names of models and tools by the numbers under which a project's rows store
 * them.
 */
export interface FilterResolver {
  /**
   * Resolves a filter of traces.
   *
   * @param extraScores names of further scores to read.
   * @param giver whose newest scores are read; of those that count if absent.
   */
  traces(
    project: string,
    filters: TraceFilters,
    extraScores?: readonly string[],
    giver?: ScoreGiver,
  ): Promise<TraceFilter>;
  /** Resolves a filter of users or of analytics. @see withErrorStatus */
  analytics(project: string, filters: TraceFilters): Promise<TraceFilter>;
  sessions(
    project: string,
    filters: SessionFilters | SessionListFilters,
    extraScores?: readonly string[],
    giver?: ScoreGiver,
  ): Promise<SessionFilter>;
}

const withGiver = <Filter extends { readonly scores: ScoreTest | null }>(filter: Filter, giver?: ScoreGiver): Filter =>
  filter.scores === null ? filter : { ...filter, scores: { ...filter.scores, giver } };

export const filterResolver = (database: Database): FilterResolver => {
  const names = projectNames(database);
  return {
    traces: async (project, filters, extraScores, giver) =>
      withGiver(traceFilter<TraceFilters>(filters, await names.find(project, filters), extraScores), giver),
    analytics: async (project, { has_error, ...filters }) =>
      withErrorStatus(traceFilter<TraceFilters>(filters, await names.find(project, filters)), has_error),
    sessions: async (project, filters, extraScores, giver) =>
      withGiver(
        sessionFilter<SessionFilters | SessionListFilters>(filters, await names.find(project, filters), extraScores),
        giver,
      ),
  };
};

import {
  sessionFilter,
  type SessionFilter,
  type SessionFilters,
  type SessionListFilters,
} from "../../../domain/sessions/filter.ts";
import { traceFilter, type TraceFilter, type TraceFilters } from "../../../domain/traces/filter.ts";
import type { Database } from "../../../dynamo/database.ts";
import { projectNames } from "../../traces/facts/names.ts";

/**
 * Resolves filters of traces: replaces names of models and tools by the numbers under which a project's rows store
 * them.
 */
export interface FilterResolver {
  /** Resolves a filter of traces. @param extraScores names of further scores to read. */
  traces(project: string, filters: TraceFilters, extraScores?: readonly string[]): Promise<TraceFilter>;
  sessions(
    project: string,
    filters: SessionFilters | SessionListFilters,
    extraScores?: readonly string[],
  ): Promise<SessionFilter>;
}

export const filterResolver = (database: Database): FilterResolver => {
  const names = projectNames(database);
  return {
    traces: async (project, filters, extraScores) =>
      traceFilter<TraceFilters>(filters, await names.find(project, filters), extraScores),
    sessions: async (project, filters, extraScores) =>
      sessionFilter<SessionFilters | SessionListFilters>(filters, await names.find(project, filters), extraScores),
  };
};

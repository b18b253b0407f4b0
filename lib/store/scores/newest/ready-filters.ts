import {
  sessionFilter,
  type SessionFilter,
  type SessionFilters,
  type SessionListFilters,
} from "../../../domain/sessions/filter.ts";
import { traceFilter, type TraceFilter, type TraceFilters } from "../../../domain/traces/filter.ts";
import type { Database } from "../../database.ts";
import { projectNames } from "../../traces/facts/names.ts";

/** Makes filters ready with what a project's rows call models and tools. */
export interface ReadyFilters {
  /** @param moreScores names of scores that are to be looked at, whatever they are. */
  traces(project: string, filters: TraceFilters, moreScores?: readonly string[]): Promise<TraceFilter>;
  sessions(
    project: string,
    filters: SessionFilters | SessionListFilters,
    moreScores?: readonly string[],
  ): Promise<SessionFilter>;
}

export const readyFilters = (database: Database): ReadyFilters => {
  const names = projectNames(database);
  return {
    traces: async (project, filters, moreScores) =>
      traceFilter<TraceFilters>(filters, await names.find(project, filters), moreScores),
    sessions: async (project, filters, moreScores) =>
      sessionFilter<SessionFilters | SessionListFilters>(filters, await names.find(project, filters), moreScores),
  };
};

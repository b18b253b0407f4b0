import type { TargetSources } from "../evaluation/start/matching-targets.ts";
import type { Database } from "../store/database.ts";
import { rowForecast } from "../store/hours/row-forecast.ts";
import { newestValues } from "../store/scores/newest/values.ts";
import { readyFilters } from "../store/scores/newest/ready-filters.ts";
import { scoredTraceList } from "../store/scores/newest/scored-traces.ts";

/** Where the targets of runs are found. */
export const targetSources = (database: Database): TargetSources => ({
  list: scoredTraceList(database),
  forecast: rowForecast(database),
  ready: readyFilters(database),
  sessionScores: newestValues(database, "session"),
});

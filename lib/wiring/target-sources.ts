import type { TargetSources } from "../evaluation/start/matching-targets.ts";
import type { Database } from "../dynamo/database.ts";
import { rowLimitCheck } from "../store/hours/row-limit-check.ts";
import { newestValues } from "../store/scores/newest/values.ts";
import { filterResolver } from "../store/scores/newest/filter-resolver.ts";
import type { FileDaysReader } from "../store/traces/lists/file-days.ts";
import { wholeSearch } from "../store/traces/search/whole-search.ts";
import { scoredTraceList } from "../store/scores/newest/scored-traces.ts";

/** Creates the readers that find the targets of runs. @param filesOf finds files of closed days; null to read rows alone. */
export const targetSources = (database: Database, filesOf: FileDaysReader | null = null): TargetSources => ({
  list: scoredTraceList(database),
  filesOf,
  checkRowLimit: rowLimitCheck(database),
  resolveFilters: filterResolver(database),
  sessionScores: newestValues(database, "session"),
  searchAll: wholeSearch(database),
});

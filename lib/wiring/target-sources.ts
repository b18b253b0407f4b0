import type { TargetSources } from "../evaluation/start/matching-targets.ts";
import type { Database } from "../dynamo/database.ts";
import { rowLimitCheck } from "../store/hours/row-limit-check.ts";
import { newestValues } from "../store/scores/newest/values.ts";
import { filterResolver } from "../store/scores/newest/filter-resolver.ts";
import type { FileDaysReader } from "../store/traces/lists/file-days.ts";
import { textSearch } from "../store/traces/search/search.ts";
import { pagedSearch, wholeSearch } from "../store/traces/search/whole-search.ts";
import type { WordIndex } from "../store/traces/search/word-index.ts";
import { scoredTraceList } from "../store/scores/newest/scored-traces.ts";

/**
 * Creates the readers that find the targets of runs.
 *
 * @param filesOf finds files of closed days; null to read rows alone. @param index index of words; null to read all texts.
 */
export const targetSources = (
  database: Database,
  filesOf: FileDaysReader | null = null,
  index: WordIndex | null = null,
): TargetSources => ({
  list: scoredTraceList(database),
  filesOf,
  checkRowLimit: rowLimitCheck(database),
  resolveFilters: filterResolver(database),
  sessionScores: newestValues(database, "session"),
  searchAll: wholeSearch(database),
  searchPages: index === null ? null : pagedSearch(textSearch(database, newestValues(database, "trace"), index)),
});

import { filtersFromQuery, splitScoredListQuery } from "../../../lib/contract/list-query.ts";
import { traceFilterParameters } from "../../../lib/contract/traces/filters.ts";
import { listTraces } from "../../../lib/contract/traces/traces.ts";
import { invalid } from "../../../lib/domain/refusal.ts";
import { parseTextQuery } from "../../../lib/domain/traces/search/text-query.ts";
import { checkDeclared } from "../../../lib/domain/traces/facts.ts";
import { endpoint } from "../../../lib/http/endpoint.ts";
import { scoreNameCheck } from "../../../lib/http/metrics/unknown-score.ts";
import { environmentGuard } from "../../../lib/wiring/access-guards.ts";
import { environmentFileDays } from "../../../lib/wiring/file-days.ts";
import { environmentWordIndex } from "../../../lib/wiring/word-index.ts";
import { traceListReply } from "../../../lib/http/traces/reply.ts";
import { connect } from "../../../lib/dynamo/database.ts";
import { rowLimitCheck } from "../../../lib/store/hours/row-limit-check.ts";
import { sortValueCheck } from "../../../lib/store/scores/units/types.ts";
import { includedScoreReader } from "../../../lib/store/scores/newest/included.ts";
import { filterResolver } from "../../../lib/store/scores/newest/filter-resolver.ts";
import { scoredTraceList } from "../../../lib/store/scores/newest/scored-traces.ts";
import { newestValues } from "../../../lib/store/scores/newest/values.ts";
import { textSearch, type TextSearchPage } from "../../../lib/store/traces/search/search.ts";
import type { FileDays } from "../../../lib/store/traces/lists/file-days.ts";
import { readsRange, type TraceListPage, type TraceQuery } from "../../../lib/store/traces/lists/list.ts";

const database = connect();
const checkScoreNames = scoreNameCheck(database, "trace");
const [traces, forecast, ready] = [scoredTraceList(database), rowLimitCheck(database), filterResolver(database)];
const [scoresOf, checkValues] = [includedScoreReader(database, "trace"), sortValueCheck(database, "trace")];
const search = textSearch(database, newestValues(database, "trace"), environmentWordIndex(database));
const filesOf = environmentFileDays(database);
const bounds = [["query", "started_after"], "started_after and started_before"] as const;

const filesCut = "Not all files could be read in time: total lacks matching traces of days that were not read.";

/** @throws Refusal `invalid` for an order or an offset that a search for words does not have: it reads traces newest first until it has a page. */
const checkSearch = (isNewestFirst: boolean, offset: number | undefined): void => {
  if (!isNewestFirst) throw invalid(["query", "sort_by"], "Traces found by q are sorted by start, newest first");
  if (offset !== undefined && offset > 0)
    throw invalid(["query", "offset"], "Traces found by q have no offset: use cursor");
};

export const handler = endpoint(listTraces, environmentGuard(database), async ({ project, query, paging, warn }) => {
  const { sortBy, order, scoreNames, giver, withScores, parameters } = splitScoredListQuery(query);
  const { q, ...filterParameters } = parameters;
  if (q !== undefined) checkSearch(sortBy === "started_at" && order === "desc", query.offset);
  await checkValues(project.id, scoreNames[0], warn);
  const filters = filtersFromQuery(traceFilterParameters, filterParameters);
  checkDeclared(filters.metadata, project.metadata_keys, (key) => ["query", `metadata.${key}`]);
  await checkScoreNames(project.id, filters, warn, scoreNames);
  const filter = await ready.traces(project.id, filters, scoreNames, giver);
  const terms = q === undefined ? null : parseTextQuery(q).terms;
  const findFiles = async (): Promise<FileDays | null> => (await filesOf?.(project.id, filter, filters)) ?? null;
  const readsRows = terms === null && readsRange({ filter, sortBy });
  const listRequest: TraceQuery = {
    filter,
    sortBy,
    order,
    ...paging,
    sortScore: scoreNames[0],
    withIncarnations: withScores || filter.scores !== null,
    files: readsRows ? await forecast(project.id, filter, ...bounds, findFiles) : null,
  };
  const page: TraceListPage & Partial<TextSearchPage> =
    terms === null ? await traces.list(project.id, listRequest) : await search(project.id, terms, listRequest);
  const incarnations = page.rows.map(({ traceId: id, incarnation }) => ({ id, incarnation }));
  const scores = withScores ? await scoresOf(project.id, incarnations, giver) : [];
  const hasPreview = query.include?.includes("preview") === true;
  const items = page.rows.map((row, index) =>
    traceListReply(row, { scores: scores[index], hasPreview, matches: page.matches?.[index] }),
  );
  const { last, searched, isCut = false } = page;
  if (isCut) warn(filesCut);
  return {
    ...paging.page(items, page.total, last),
    ...(searched !== undefined && { searched, searched_to: last === null ? null : searched.from }),
  };
});

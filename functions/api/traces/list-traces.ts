import { filtersFromQuery, splitScoredListQuery } from "../../../lib/contract/list-query.ts";
import { traceFilterParameters } from "../../../lib/contract/traces/filters.ts";
import { listTraces } from "../../../lib/contract/traces/traces.ts";
import { checkDeclared } from "../../../lib/domain/traces/facts.ts";
import { endpoint } from "../../../lib/http/endpoint.ts";
import { scoreNameCheck } from "../../../lib/http/metrics/unknown-score.ts";
import { environmentGuard } from "../../../lib/wiring/access-guards.ts";
import { traceListReply } from "../../../lib/http/traces/reply.ts";
import { connect } from "../../../lib/dynamo/database.ts";
import { rowLimitCheck } from "../../../lib/store/hours/row-limit-check.ts";
import { sortValueCheck } from "../../../lib/store/scores/units/types.ts";
import { includedScoreReader } from "../../../lib/store/scores/newest/included.ts";
import { filterResolver } from "../../../lib/store/scores/newest/filter-resolver.ts";
import { scoredTraceList } from "../../../lib/store/scores/newest/scored-traces.ts";
import { readsRange, type TraceQuery } from "../../../lib/store/traces/lists/list.ts";

const database = connect();
const checkScoreNames = scoreNameCheck(database, "trace");
const [traces, forecast, ready] = [scoredTraceList(database), rowLimitCheck(database), filterResolver(database)];
const [scoresOf, checkValues] = [includedScoreReader(database, "trace"), sortValueCheck(database, "trace")];
const bounds = [["query", "started_after"], "started_after and started_before"] as const;

export const handler = endpoint(listTraces, environmentGuard(database), async ({ project, query, paging, warn }) => {
  const { sortBy, order, scoreNames, giver, withScores, parameters } = splitScoredListQuery(query);
  await checkValues(project.id, scoreNames[0], warn);
  const filters = filtersFromQuery(traceFilterParameters, parameters);
  checkDeclared(filters.metadata, project.metadata_keys, (key) => ["query", `metadata.${key}`]);
  await checkScoreNames(project.id, filters, warn, scoreNames);
  const filter = await ready.traces(project.id, filters, scoreNames, giver);
  if (readsRange({ filter, sortBy })) await forecast(project.id, filter, ...bounds);
  const listRequest: TraceQuery = {
    filter,
    sortBy,
    order,
    ...paging,
    sortScore: scoreNames[0],
    withIncarnations: withScores || filter.scores !== null,
  };
  const { rows, total, last } = await traces.list(project.id, listRequest);
  const incarnations = rows.map(({ traceId: id, incarnation }) => ({ id, incarnation }));
  const scores = withScores ? await scoresOf(project.id, incarnations, giver) : [];
  return paging.page(
    rows.map((row, index) =>
      traceListReply(row, { scores: scores[index], hasPreview: query.include?.includes("preview") === true }),
    ),
    total,
    last,
  );
});

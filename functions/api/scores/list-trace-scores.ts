import { filtersFromQuery } from "../../../lib/contract/list-query.ts";
import { requireMetricOfVersion, traceScoreParameters } from "../../../lib/contract/scores/filters.ts";
import { listTraceScores } from "../../../lib/contract/scores/trace-scores.ts";
import { splitTraceFilters } from "../../../lib/contract/scores/trace-filters.ts";
import { uuidInProject } from "../../../lib/domain/access/identity.ts";
import { scorePages } from "../../../lib/handlers/scores/list-scores.ts";
import { endpoint } from "../../../lib/http/endpoint.ts";
import { connect } from "../../../lib/dynamo/database.ts";
import { traceScoreKind } from "../../../lib/store/scores/kind.ts";
import { traceScoreList } from "../../../lib/store/scores/of-trace.ts";
import { environmentGuard } from "../../../lib/wiring/access-guards.ts";

const database = connect();
const pageOf = scorePages(database, traceScoreKind, traceScoreList(database));

export const handler = endpoint(listTraceScores, environmentGuard(database), async (request) => {
  const { traceFilters, rest } = splitTraceFilters(request.query, ["environment"]);
  const { limit: _, offset: __, cursor: ___, sort_by: ____, sort_order: _____, ...filters } = rest;
  requireMetricOfVersion("name", filters.name, filters.metric_version);
  const { trace_id: trace } = filters;
  const trace_id = trace === undefined ? undefined : uuidInProject(request.project.id, trace);
  return await pageOf(request, filtersFromQuery(traceScoreParameters, { ...filters, trace_id }), traceFilters);
});

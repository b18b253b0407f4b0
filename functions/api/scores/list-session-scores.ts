import { filtersFromQuery } from "../../../lib/contract/list-query.ts";
import { requireMetricOfVersion, sessionScoreParameters } from "../../../lib/contract/scores/filters.ts";
import { listSessionScores } from "../../../lib/contract/scores/session-scores.ts";
import { splitTraceFilters } from "../../../lib/contract/scores/trace-filters.ts";
import { scorePages } from "../../../lib/handlers/scores/list-scores.ts";
import { endpoint } from "../../../lib/http/endpoint.ts";
import { connect } from "../../../lib/dynamo/database.ts";
import { sessionScoreKind } from "../../../lib/store/scores/kind.ts";
import { scoreList } from "../../../lib/store/scores/list.ts";
import { environmentGuard } from "../../../lib/wiring/access-guards.ts";

const database = connect();
const pageOf = scorePages(database, sessionScoreKind, scoreList(database, sessionScoreKind));

export const handler = endpoint(listSessionScores, environmentGuard(database), async (request) => {
  const { traceFilters, rest } = splitTraceFilters(request.query, ["session_id"]);
  const { limit: _, offset: __, cursor: ___, sort_by: ____, sort_order: _____, ...filters } = rest;
  requireMetricOfVersion("name", filters.name, filters.metric_version);
  return await pageOf(request, filtersFromQuery(sessionScoreParameters, filters), traceFilters);
});

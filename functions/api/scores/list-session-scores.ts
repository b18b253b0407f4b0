import { filtersFromQuery } from "../../../lib/contract/list-query.ts";
import { requireMetricOfVersion, sessionScoreParameters } from "../../../lib/contract/scores/filters.ts";
import { listSessionScores } from "../../../lib/contract/scores/session-scores.ts";
import { splitTraceFilters } from "../../../lib/contract/scores/trace-filters.ts";
import { filteredTargets } from "../../../lib/handlers/scores/counted-scores.ts";
import { endpoint } from "../../../lib/http/endpoint.ts";
import { emptyReplyCheck } from "../../../lib/http/metrics/unknown-score.ts";
import { connect } from "../../../lib/dynamo/database.ts";
import { sessionScoreKind } from "../../../lib/store/scores/kind.ts";
import { scoreList } from "../../../lib/store/scores/list.ts";
import { stalenessReader } from "../../../lib/store/scores/stale/with-staleness.ts";
import { environmentGuard } from "../../../lib/wiring/access-guards.ts";

const database = connect();
const scores = scoreList(database, sessionScoreKind);
const checkName = emptyReplyCheck(database, "session");
const targetsOf = filteredTargets(database, "session");
const staleness = stalenessReader(database, sessionScoreKind);

export const handler = endpoint(
  listSessionScores,
  environmentGuard(database),
  async ({ project, query, paging, warn }) => {
    const { traceFilters, rest } = splitTraceFilters(query, ["session_id"]);
    const { limit, offset: _, cursor: __, sort_by: sortBy, sort_order: order, ...filters } = rest;
    requireMetricOfVersion("name", filters.name, filters.metric_version);
    const ownFilter = filtersFromQuery(sessionScoreParameters, filters);
    const filter =
      traceFilters === null ? ownFilter : { ...ownFilter, targets: await targetsOf(project, traceFilters, warn) };
    const { offset, after } = paging;
    const { items, total, last } = await scores.page(project.id, filter, limit, offset, after, { sortBy, order });
    await checkName(project.id, filters.name, items, warn);
    return paging.page(await staleness.all(project.id, items), total, last);
  },
);

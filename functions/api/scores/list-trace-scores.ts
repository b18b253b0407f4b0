import { filtersFromQuery } from "../../../lib/contract/list-query.ts";
import { requireMetricOfVersion, traceScoreParameters } from "../../../lib/contract/scores/filters.ts";
import { listTraceScores } from "../../../lib/contract/scores/trace-scores.ts";
import { splitTraceFilters } from "../../../lib/contract/scores/trace-filters.ts";
import { uuidInProject } from "../../../lib/domain/access/identity.ts";
import { filteredTargets } from "../../../lib/handlers/scores/counted-scores.ts";
import { endpoint } from "../../../lib/http/endpoint.ts";
import { emptyReplyCheck } from "../../../lib/http/metrics/unknown-score.ts";
import { connect } from "../../../lib/dynamo/database.ts";
import { traceScoreKind } from "../../../lib/store/scores/kind.ts";
import { traceScoreList } from "../../../lib/store/scores/of-trace.ts";
import { stalenessReader } from "../../../lib/store/scores/stale/with-staleness.ts";
import { environmentGuard } from "../../../lib/wiring/access-guards.ts";

const database = connect();
const scores = traceScoreList(database);
const checkName = emptyReplyCheck(database, "trace");
const targetsOf = filteredTargets(database, "trace");
const staleness = stalenessReader(database, traceScoreKind);

export const handler = endpoint(
  listTraceScores,
  environmentGuard(database),
  async ({ project, query, paging, warn }) => {
    const { traceFilters, rest } = splitTraceFilters(query, ["environment"]);
    const { limit, offset: _, cursor: __, sort_by: sortBy, sort_order: order, ...filters } = rest;
    requireMetricOfVersion("name", filters.name, filters.metric_version);
    const { trace_id: trace } = filters;
    const trace_id = trace === undefined ? undefined : uuidInProject(project.id, trace);
    const ownFilter = filtersFromQuery(traceScoreParameters, { ...filters, trace_id });
    const filter =
      traceFilters === null ? ownFilter : { ...ownFilter, targets: await targetsOf(project, traceFilters, warn) };
    const { offset, after } = paging;
    const { items, total, last } = await scores.page(project.id, filter, limit, offset, after, { sortBy, order });
    await checkName(project.id, filters.name, items, warn);
    return paging.page(await staleness.all(project.id, items), total, last);
  },
);

import { filtersOf } from "../../../lib/contract/list-query.ts";
import { traceFilterParameters } from "../../../lib/contract/traces/filters.ts";
import { listTraces } from "../../../lib/contract/traces/traces.ts";
import { traceFilter } from "../../../lib/domain/traces/filter.ts";
import { endpoint } from "../../../lib/http/endpoint.ts";
import { environmentGate } from "../../../lib/wiring/gates.ts";
import { traceListItem } from "../../../lib/http/traces/reply.ts";
import { connect } from "../../../lib/store/database.ts";
import { traceList } from "../../../lib/store/traces/lists/list.ts";

const database = connect();
const traces = traceList(database);

export const handler = endpoint(listTraces, environmentGate(database), async ({ project, query }) => {
  const { limit, offset, sort_by: sortBy, sort_order: order, ...filters } = query;
  const filter = traceFilter(filtersOf(traceFilterParameters, filters));
  const { rows, total } = await traces.list(project.id, { filter, sortBy, order, limit, offset });
  return { items: rows.map(traceListItem), total, limit, offset };
});

import { filtersOf } from "../../../lib/contract/list-query.ts";
import { traceFilterParameters } from "../../../lib/contract/traces/filters.ts";
import { listTraces } from "../../../lib/contract/traces/traces.ts";
import { traceFilter } from "../../../lib/domain/traces/filter.ts";
import { endpoint } from "../../../lib/http/endpoint.ts";
import { environmentGate } from "../../../lib/wiring/gates.ts";
import { traceListItem } from "../../../lib/http/traces/reply.ts";
import { connect } from "../../../lib/store/database.ts";
import { rowForecast } from "../../../lib/store/hours/row-forecast.ts";
import { readsRange, traceList } from "../../../lib/store/traces/lists/list.ts";

const database = connect();
const [traces, forecast] = [traceList(database), rowForecast(database)];
const bounds = [["query", "started_after"], "started_after and started_before"] as const;

export const handler = endpoint(listTraces, environmentGate(database), async ({ project, query }) => {
  const { limit, offset, sort_by: sortBy, sort_order: order, ...filters } = query;
  const filter = traceFilter(filtersOf(traceFilterParameters, filters));
  if (readsRange({ filter, sortBy })) await forecast(project.id, filter, ...bounds);
  const { rows, total } = await traces.list(project.id, { filter, sortBy, order, limit, offset });
  return { items: rows.map(traceListItem), total, limit, offset };
});

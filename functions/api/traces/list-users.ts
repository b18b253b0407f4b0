import { filtersOf } from "../../../lib/contract/list-query.ts";
import { traceFilterParameters } from "../../../lib/contract/traces/filters.ts";
import { listUsers } from "../../../lib/contract/traces/traces.ts";
import { checkDeclared } from "../../../lib/domain/traces/declared.ts";
import { endpoint } from "../../../lib/http/endpoint.ts";
import { userReply } from "../../../lib/http/traces/reply.ts";
import { environmentGate } from "../../../lib/wiring/gates.ts";
import { connect } from "../../../lib/store/database.ts";
import { rowForecast } from "../../../lib/store/hours/row-forecast.ts";
import { readyFilters } from "../../../lib/store/scores/newest/ready-filters.ts";
import { newestValues } from "../../../lib/store/scores/newest/values.ts";
import { userList } from "../../../lib/store/traces/lists/users.ts";

const database = connect();
const list = userList(database, Date.now, undefined, undefined, newestValues(database, "trace"));
const [forecast, ready] = [rowForecast(database), readyFilters(database)];
const bounds = [["query", "started_after"], "started_after and started_before"] as const;

export const handler = endpoint(listUsers, environmentGate(database), async ({ project, query, paging }) => {
  const { limit, offset: _, cursor: __, sort_by: sortBy, sort_order: order, ...parameters } = query;
  const filters = filtersOf(traceFilterParameters, parameters);
  checkDeclared(filters.metadata, project.metadataKeys, (key) => ["query", `metadata.${key}`]);
  const filter = await ready.traces(project.id, filters);
  await forecast(project.id, filter, ...bounds);
  const asked = { filter, sortBy, order };
  const { users, total, last } = await list(project.id, limit, paging.offset, paging.after, asked);
  return paging.page(users.map(userReply), total, last);
});

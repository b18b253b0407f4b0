import { filtersFromQuery } from "../../../lib/contract/list-query.ts";
import { traceFilterParameters } from "../../../lib/contract/traces/filters.ts";
import { listUsers } from "../../../lib/contract/traces/traces.ts";
import { checkDeclared } from "../../../lib/domain/traces/facts.ts";
import { endpoint } from "../../../lib/http/endpoint.ts";
import { userReply } from "../../../lib/http/traces/reply.ts";
import { scoreNameCheck } from "../../../lib/http/metrics/unknown-score.ts";
import { environmentGuard } from "../../../lib/wiring/access-guards.ts";
import { environmentFileDays } from "../../../lib/wiring/file-days.ts";
import { connect } from "../../../lib/dynamo/database.ts";
import { rowLimitCheck } from "../../../lib/store/hours/row-limit-check.ts";
import { filterResolver } from "../../../lib/store/scores/newest/filter-resolver.ts";
import { newestValues } from "../../../lib/store/scores/newest/values.ts";
import { userList } from "../../../lib/store/traces/lists/users.ts";

const database = connect();
const checkScoreNames = scoreNameCheck(database, "trace");
const list = userList(database, Date.now, undefined, undefined, newestValues(database, "trace"));
const [forecast, ready] = [rowLimitCheck(database), filterResolver(database)];
const filesOf = environmentFileDays(database);
const bounds = [["query", "started_after"], "started_after and started_before"] as const;

export const handler = endpoint(listUsers, environmentGuard(database), async ({ project, query, paging, warn }) => {
  const { limit, offset: _, cursor: __, sort_by: sortBy, sort_order: order, ...parameters } = query;
  const filters = filtersFromQuery(traceFilterParameters, parameters);
  checkDeclared(filters.metadata, project.metadata_keys, (key) => ["query", `metadata.${key}`]);
  await checkScoreNames(project.id, filters, warn);
  const filter = await ready.analytics(project.id, filters);
  const files = await forecast(
    project.id,
    filter,
    ...bounds,
    async () => (await filesOf?.(project.id, filter, filters)) ?? null,
  );
  const listRequest = { filter, sortBy, order, files };
  const { users, total, last } = await list(project.id, limit, paging.offset, paging.after, listRequest);
  return paging.page(users.map(userReply), total, last);
});

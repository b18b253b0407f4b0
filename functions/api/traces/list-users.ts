import { listUsers } from "../../../lib/contract/traces/traces.ts";
import { endpoint } from "../../../lib/http/endpoint.ts";
import { environmentGate } from "../../../lib/wiring/gates.ts";
import { connect } from "../../../lib/store/database.ts";
import { rowForecast } from "../../../lib/store/hours/row-forecast.ts";
import { userList } from "../../../lib/store/traces/lists/users.ts";

const database = connect();
const [list, forecast] = [userList(database), rowForecast(database)];

export const handler = endpoint(listUsers, environmentGate(database), async ({ project, paging }) => {
  await forecast(project.id, { from: null, to: null }, ["query"], "the project's traces");
  const { users, total, last } = await list(project.id, paging.limit, paging.offset, paging.after);
  const items = users.map(({ userId, traceCount, firstSeen, lastSeen, errorCount }) => ({
    user_id: userId,
    trace_count: traceCount,
    first_seen: firstSeen,
    last_seen: lastSeen,
    error_count: errorCount,
  }));
  return paging.page(items, total, last);
});

import { listUsers } from "../../../lib/contract/traces/traces.ts";
import { endpoint } from "../../../lib/http/endpoint.ts";
import { environmentGate } from "../../../lib/wiring/gates.ts";
import { connect } from "../../../lib/store/database.ts";
import { userList } from "../../../lib/store/traces/lists/users.ts";

const database = connect();
const list = userList(database);

export const handler = endpoint(listUsers, environmentGate(database), async ({ project, query: { limit, offset } }) => {
  const { users, total } = await list(project.id, limit, offset);
  const items = users.map(({ userId, traceCount, firstSeen, lastSeen, errorCount }) => ({
    user_id: userId,
    trace_count: traceCount,
    first_seen: firstSeen,
    last_seen: lastSeen,
    error_count: errorCount,
  }));
  return { items, total, limit, offset };
});

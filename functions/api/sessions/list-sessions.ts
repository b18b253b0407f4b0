import { listSessions } from "../../../lib/contract/sessions/sessions.ts";
import { traceFilter } from "../../../lib/domain/traces/filter.ts";
import { endpoint } from "../../../lib/http/endpoint.ts";
import { environmentGate } from "../../../lib/wiring/gates.ts";
import { sessionReply } from "../../../lib/http/sessions/reply.ts";
import { connect } from "../../../lib/store/database.ts";
import { sessionList } from "../../../lib/store/sessions/list.ts";

const database = connect();
const list = sessionList(database);

export const handler = endpoint(listSessions, environmentGate(database), async ({ project, query }) => {
  const { user_id, tags, started_after: date_from, started_before: date_to, limit, offset } = query;
  const { sessions, total } = await list(project.id, {
    filter: traceFilter({ user_id, tags, date_from, date_to }),
    text: query.query ?? "",
    hasError: query.has_error,
    sortBy: query.sort_by,
    order: query.sort_order,
    limit,
    offset,
  });
  return { items: sessions.map(sessionReply), total, limit, offset };
});

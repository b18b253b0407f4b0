import { filtersOf } from "../../../lib/contract/list-query.ts";
import { sessionFilterParameters } from "../../../lib/contract/sessions/filters.ts";
import { listSessions } from "../../../lib/contract/sessions/sessions.ts";
import { sessionFilter } from "../../../lib/domain/sessions/filter.ts";
import { endpoint } from "../../../lib/http/endpoint.ts";
import { environmentGate } from "../../../lib/wiring/gates.ts";
import { sessionReply } from "../../../lib/http/sessions/reply.ts";
import { connect } from "../../../lib/store/database.ts";
import { rowForecast } from "../../../lib/store/hours/row-forecast.ts";
import { sessionList } from "../../../lib/store/sessions/list.ts";

const database = connect();
const [list, forecast] = [sessionList(database), rowForecast(database)];

export const handler = endpoint(listSessions, environmentGate(database), async ({ project, query }) => {
  const { limit, offset, sort_by: sortBy, sort_order: order, ...filters } = query;
  const filter = sessionFilter(filtersOf(sessionFilterParameters, filters));
  await forecast(project.id, filter.traces, ["query", "started_after"], "started_after and started_before");
  const { sessions, total } = await list(project.id, { filter, sortBy, order, limit, offset });
  return { items: sessions.map(sessionReply), total, limit, offset };
});
